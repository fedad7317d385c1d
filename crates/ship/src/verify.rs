//! Whether a packed program is as it was when it was packed: `--verify`.
//!
//! The sums in its seal tell what was changed by accident. That nobody has changed it on purpose only a comparison with
//! something kept elsewhere can tell: the SHA-256 of the file, which is printed, or a signature, which is a file of its
//! own beside the program. It is Ed25519 over the whole file, as OpenSSL makes it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_compact::{PublicKey, Signature};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::seal::Seal;
use crate::{AtPath, ShipError};

/// What precedes the 32 bytes of a public Ed25519 key in the form that a PEM file has (RFC 8410).
const KEY_PREFIX: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
const PEM_BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const PEM_END: &str = "-----END PUBLIC KEY-----";
/// How many changed files are named.
const NAMED: usize = 20;

/// Who must have signed a program, and where the signature is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    pub public_key: PathBuf,
    pub signature: PathBuf,
}

/// Checks all sums of a packed program, and its signature if one is asked for. Returns what to print.
pub fn verify(program: &Path, signed: Option<&Signed>) -> Result<String, ShipError> {
    let name = program.display();
    let bytes = fs::read(program).at(program)?;
    let Some(seal) = Seal::of(&bytes) else {
        return Err(ShipError::plain(format!(
            "{name}: it is no packed program of this version of ferl"
        )));
    };
    if !seal.is_whole(&bytes) {
        let changed = changes(program, &seal)?;
        return Err(ShipError::plain(format!(
            "{name}: changed since it was packed: {changed}"
        )));
    }
    let mut text = format!("{name}: ok, {} bytes, as it was packed\n", bytes.len());
    if let Some(signed) = signed {
        check_signature(&bytes, signed)?;
        text.push_str(&format!(
            "signed by the key in {}\n",
            signed.public_key.display()
        ));
    }
    let sum: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    text.push_str(&format!("sha256 {sum}\n"));
    Ok(text)
}

/// What is changed in a program, in words.
fn changes(program: &Path, seal: &Seal) -> Result<String, ShipError> {
    let mut file = File::open(program).at(program)?;
    let of_seal = seal.check(&mut file, program).err();
    let Ok(mut zip) = ZipArchive::new(file) else {
        return Ok(of_seal.map_or_else(
            || "the table of its archive".to_owned(),
            |error| error.to_string(),
        ));
    };
    let mut names = Vec::new();
    for number in 0..zip.len() {
        if !is_intact(&mut zip, number) {
            let name = zip
                .name_for_index(number)
                .unwrap_or("a file without a name");
            names.push(name.to_owned());
        }
    }
    Ok(match (names.len(), of_seal) {
        (0, None) => "the program in front of the archive".to_owned(),
        (0, Some(_)) => "the archive, but none of its files".to_owned(),
        (1..=NAMED, _) => names.join(", "),
        (count, _) => format!("{} and {} more", names[..NAMED].join(", "), count - NAMED),
    })
}

/// Whether the contents of a file have the sum that the archive names.
fn is_intact(zip: &mut ZipArchive<File>, number: usize) -> bool {
    zip.by_index(number)
        .is_ok_and(|mut file| io::copy(&mut file, &mut io::sink()).is_ok())
}

fn check_signature(bytes: &[u8], signed: &Signed) -> Result<(), ShipError> {
    let key = fs::read(&signed.public_key).at(&signed.public_key)?;
    let key = public_key(&key).ok_or_else(|| {
        ShipError::plain(format!(
            "{}: it is no public Ed25519 key in PEM form (openssl pkey -in KEY -pubout writes one)",
            signed.public_key.display()
        ))
    })?;
    let path = &signed.signature;
    let mut signature = Vec::new();
    let limit = Signature::BYTES as u64 + 1;
    let file = File::open(path).at(path)?;
    file.take(limit).read_to_end(&mut signature).at(path)?;
    let signature = Signature::from_slice(&signature).map_err(|_| {
        ShipError::plain(format!(
            "{}: it is no signature: it has not {} bytes",
            path.display(),
            Signature::BYTES
        ))
    })?;
    key.verify(bytes, &signature).map_err(|_| {
        ShipError::plain(format!(
            "{}: this signature is not that of the key in {} for this file",
            path.display(),
            signed.public_key.display()
        ))
    })
}

/// The key in a PEM file.
fn public_key(text: &[u8]) -> Option<PublicKey> {
    let text = std::str::from_utf8(text).ok()?;
    let (_, rest) = text.split_once(PEM_BEGIN)?;
    let (body, _) = rest.split_once(PEM_END)?;
    let body: String = body.split_whitespace().collect();
    let bytes = STANDARD.decode(body).ok()?;
    PublicKey::from_slice(bytes.strip_prefix(&KEY_PREFIX)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Entry;
    use crate::image::Parcel;
    use crate::seal;

    fn packed(folder: &Path) -> (PathBuf, Vec<u8>) {
        let (ferl, app) = (folder.join("ferl"), folder.join("app"));
        fs::write(&ferl, [&seal::place()[..], b"ferl itself"].concat()).unwrap();
        let mut parcel = Parcel::new("13.1.5");
        for name in ["lib/one", "lib/two"] {
            parcel.add(Entry {
                name: name.to_owned(),
                bytes: format!("the contents of {name}").into_bytes(),
                is_program: false,
            });
        }
        parcel.write(&ferl, &app).unwrap();
        let bytes = fs::read(&app).unwrap();
        (app, bytes)
    }

    #[test]
    fn it_says_what_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (app, whole) = packed(folder.path());
        assert!(verify(&app, None).unwrap().contains("ok, "));
        let place_of = |text: &[u8]| {
            let mut places = memchr::memmem::find_iter(&whole, text);
            places.next().unwrap()
        };
        // The compressed contents stand behind the name.
        for (place, named) in [
            (place_of(b"lib/two") + 12, "lib/two"),
            (place_of(b"ferl itself"), "the program in front"),
            (whole.len() - 1, "archive"),
        ] {
            let mut changed = whole.clone();
            changed[place] ^= 0x55;
            fs::write(&app, &changed).unwrap();
            let error = verify(&app, None).unwrap_err().to_string();
            assert!(
                error.contains("changed") && error.contains(named),
                "{error}"
            );
            assert!(!error.contains("lib/one"), "{error}");
        }
        fs::write(&app, &whole[..whole.len() - 9]).unwrap();
        let error = verify(&app, None).unwrap_err().to_string();
        assert!(error.contains("it is cut"), "{error}");
        fs::write(&app, "a program").unwrap();
        assert!(verify(&app, None).is_err());
    }

    #[test]
    fn a_signature_counts_for_one_key_and_one_file() {
        use ed25519_compact::{KeyPair, Seed};
        let folder = tempfile::tempdir().unwrap();
        let (app, bytes) = packed(folder.path());
        let pair = |seed| KeyPair::from_seed(Seed::new([seed; 32]));
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let pem = |seed| {
            let key = [&KEY_PREFIX[..], &pair(seed).pk[..]].concat();
            format!("{PEM_BEGIN}\n{}\n{PEM_END}\n", STANDARD.encode(key))
        };
        let signature = pair(1).sk.sign(&bytes, None);
        let signed = |key: PathBuf, signature: &[u8]| Signed {
            public_key: key,
            signature: write("signature", signature),
        };
        let own = write("own.pem", pem(1).as_bytes());
        let text = verify(&app, Some(&signed(own.clone(), &signature[..]))).unwrap();
        assert!(text.contains("signed by the key"), "{text}");
        let other = write("other.pem", pem(2).as_bytes());
        let nothing = write("nothing.pem", b"no key");
        for (key, signature, complaint) in [
            (other, &signature[..], "not that of the key"),
            (nothing, &signature[..], "no public Ed25519 key"),
            (own.clone(), &signature[..63], "it is no signature"),
            (
                own.clone(),
                &[&signature[..], b"x"].concat(),
                "it is no signature",
            ),
            (
                own,
                &pair(1).sk.sign(b"other", None)[..],
                "not that of the key",
            ),
        ] {
            let error = verify(&app, Some(&signed(key, signature))).unwrap_err();
            assert!(error.to_string().contains(complaint), "{error}");
        }
    }
}
