//! RabbitMQ as Debian packs it, with an empty folder, no plugins and a port of its own.
//!
//! Each queue has a publisher and a consumer, which are a connection and a thread each. A message carries the moment at
//! which it was published; the time until its consumer has it is its latency, which under full load is that of a queue.

use anyhow::{Context, Result, bail};
use std::process::Command;
use std::thread;
use std::time::Instant;

use super::amqp::{Connection, Kind};
use super::load::{WARM_UP_SHARE, print_slowest, rest, under_load};
use super::server::{Server, free_port};
use super::stage::{Stage, installed, number};
use super::threads::{joined, share_out};

/// Where Debian has the script; what is in `/usr/sbin` changes the user.
const SCRIPT: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
/// Messages that the broker may send before the first is acknowledged, and after how many that is done.
const PREFETCH: u16 = 200;
const ACKNOWLEDGED_AFTER: u64 = 20;
/// Messages of a publisher that may wait for their confirms, and to how many it waits then.
const UNCONFIRMED: u64 = 100;
const UNCONFIRMED_AFTER_WAIT: u64 = 50;
/// Threads that open idle connections.
const OPENERS: usize = 8;

/// What is published.
#[derive(Clone, Copy)]
struct Traffic {
    queues: u64,
    bytes: usize,
    kind: Kind,
    is_confirmed: bool,
}

/// `transient`, `confirmed`, `quorum` or `many`, and the number of messages; or `idle CONNECTIONS`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let [what, count] = arguments[..] else {
        bail!("expected a kind of traffic and a number of messages");
    };
    let traffic = Traffic {
        queues: 2,
        bytes: 100,
        kind: Kind::Transient,
        is_confirmed: false,
    };
    let traffic = match what {
        "idle" => None,
        "transient" => Some(traffic),
        "confirmed" => Some(Traffic {
            kind: Kind::Durable,
            is_confirmed: true,
            ..traffic
        }),
        "quorum" => Some(Traffic {
            kind: Kind::Quorum,
            is_confirmed: true,
            ..traffic
        }),
        "many" => Some(Traffic {
            queues: 20,
            bytes: 1000,
            ..traffic
        }),
        _ => bail!("no traffic is called {what}"),
    };
    let count = number(count)?;
    let broker = Broker::start(stage)?;
    match traffic {
        Some(traffic) => broker.carry(traffic, count)?,
        None => broker.hold(count)?,
    }
    broker.server.stop();
    Ok(())
}

struct Broker {
    server: Server,
    port: u16,
    _epmd: Server,
}

impl Broker {
    fn start(stage: &Stage) -> Result<Broker> {
        let (port, names_port) = (free_port()?, free_port()?);
        let log = stage.folder.join("rabbitmq.log");
        // One of its own: otherwise the broker starts one that outlives it.
        let epmd = Server::start(
            Command::new("epmd").args(["-port", &names_port.to_string()]),
            &log,
        )?;
        let nothing = stage.write("nothing.conf", "")?;
        let plugins = stage.write("enabled_plugins", "[].\n")?;
        let mut command = Command::new(installed(SCRIPT)?);
        command
            .env("PATH", stage.path()?)
            .env("ERL_EPMD_PORT", names_port.to_string())
            // So the script becomes the VM, and does not start it in the background, where it could outlive this.
            .env("RUNNING_UNDER_SYSTEMD", "true")
            .env("RABBITMQ_NODENAME", format!("lab{port}@localhost"))
            .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODE_PORT", port.to_string())
            .env("RABBITMQ_DIST_PORT", free_port()?.to_string())
            .env("RABBITMQ_MNESIA_BASE", stage.new_folder("mnesia")?)
            .env("RABBITMQ_LOG_BASE", stage.new_folder("log")?)
            .env("RABBITMQ_PID_FILE", stage.folder.join("pid"))
            .env("RABBITMQ_CONF_ENV_FILE", &nothing)
            .env("RABBITMQ_CONFIG_FILE", &nothing)
            .env(
                "RABBITMQ_ADVANCED_CONFIG_FILE",
                stage.folder.join("none.config"),
            )
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", plugins);
        let mut server = Server::start(&mut command, &log)?;
        server.wait_for(|| Connection::open(port))?;
        Ok(Broker {
            server,
            port,
            _epmd: epmd,
        })
    }

    fn carry(&self, traffic: Traffic, messages: u64) -> Result<()> {
        let each = messages / traffic.queues;
        if each < WARM_UP_SHARE {
            bail!("fewer messages than {} queues need", traffic.queues);
        }
        let mut declaring = Connection::open(self.port)?;
        for number in 0..traffic.queues {
            declaring.declare(&queue(number), traffic.kind)?;
        }
        self.round(traffic, each / WARM_UP_SHARE)?;
        let (micros, load) = under_load(&self.server, || self.round(traffic, each))?;
        load.print(micros.len() as u64);
        print_slowest(micros);
        rest(&self.server);
        Ok(())
    }

    /// Publishes so many messages to each queue; returns the latencies.
    fn round(&self, traffic: Traffic, each: u64) -> Result<Vec<u32>> {
        let began = Instant::now();
        thread::scope(|scope| {
            let mut consumers = Vec::new();
            let mut publishers = Vec::new();
            for number in 0..traffic.queues {
                let consumer = move || consume(self.port, &queue(number), each, began);
                let publisher = move || publish(self.port, &queue(number), traffic, each, began);
                consumers.push(scope.spawn(consumer));
                publishers.push(scope.spawn(publisher));
            }
            publishers.into_iter().try_for_each(joined)?;
            let mut micros = Vec::new();
            for consumer in consumers {
                micros.extend(joined(consumer)?);
            }
            Ok(micros)
        })
    }

    /// Opens connections that stay idle.
    fn hold(&self, count: u64) -> Result<()> {
        let (connections, load) = under_load(&self.server, || {
            share_out(OPENERS, count as usize, |_| Connection::open(self.port))
        })?;
        load.print(count);
        rest(&self.server);
        drop(connections);
        Ok(())
    }
}

fn queue(number: u64) -> String {
    format!("queue-{number}")
}

fn publish(port: u16, queue: &str, traffic: Traffic, count: u64, began: Instant) -> Result<()> {
    let mut connection = Connection::open(port)?;
    if traffic.is_confirmed {
        connection.confirm()?;
    }
    let is_persistent = traffic.kind != Kind::Transient;
    let mut body = vec![b'x'; traffic.bytes];
    let mut unconfirmed = Unconfirmed::default();
    for number in 1..=count {
        let moment = began.elapsed().as_nanos() as u64;
        body[..8].copy_from_slice(&moment.to_be_bytes());
        connection.publish(queue, is_persistent, &body)?;
        if traffic.is_confirmed {
            unconfirmed.count += 1;
            let most = match number {
                _ if number == count => 0,
                _ if unconfirmed.count < UNCONFIRMED => continue,
                _ => UNCONFIRMED_AFTER_WAIT,
            };
            while unconfirmed.count > most {
                unconfirmed.settle(connection.confirmed()?);
            }
        }
    }
    connection.finish()
}

/// Messages that the broker has not confirmed. It confirms single ones in any order, or all up to one.
#[derive(Default)]
struct Unconfirmed {
    count: u64,
    /// All up to this one are confirmed.
    settled: u64,
    /// Those above that are confirmed one by one.
    single: std::collections::BTreeSet<u64>,
}

impl Unconfirmed {
    fn settle(&mut self, (tag, with_all_before): (u64, bool)) {
        if with_all_before {
            let later = self.single.split_off(&(tag + 1));
            self.count -= tag.saturating_sub(self.settled) - self.single.len() as u64;
            self.single = later;
            self.settled = self.settled.max(tag);
        } else {
            self.single.insert(tag);
            self.count -= 1;
        }
    }
}

fn consume(port: u16, queue: &str, count: u64, began: Instant) -> Result<Vec<u32>> {
    let mut connection = Connection::open(port)?;
    connection.consume(queue, PREFETCH)?;
    let mut micros = Vec::with_capacity(count as usize);
    let mut body = Vec::new();
    for number in 1..=count {
        let tag = connection.delivered(&mut body)?;
        let moment = body.first_chunk().context("a message without a moment")?;
        let nanos = (began.elapsed().as_nanos() as u64).saturating_sub(u64::from_be_bytes(*moment));
        micros.push(u32::try_from(nanos / 1000).unwrap_or(u32::MAX));
        if number == count || number.is_multiple_of(ACKNOWLEDGED_AFTER) {
            connection.acknowledge(tag)?;
        }
    }
    connection.finish()?;
    Ok(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirms_come_one_by_one_and_together() {
        let mut unconfirmed = Unconfirmed {
            count: 10,
            ..Unconfirmed::default()
        };
        for (confirm, left) in [
            ((2, false), 9),
            ((3, true), 7),
            ((9, false), 6),
            ((10, true), 0),
        ] {
            unconfirmed.settle(confirm);
            assert_eq!(unconfirmed.count, left, "{confirm:?}");
        }
    }
}
