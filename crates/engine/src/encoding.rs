//! The encoding of instructions: the operand words of every operation, in order, with their names and types.
//!
//! Both sides of an instruction are derived from its row in the table below. A body reads its operands through
//! [`OperandsOf::OPERANDS`]: `m.get(o.dest)` only compiles if the row has an operand `dest` that can be read as a term.
//! The code generator writes them as a value of the row's struct, and only together with a handler that reads this
//! encoding ([`HandlerOf`](crate::operation::HandlerOf)). So the two cannot disagree about the number, the order or the
//! types of the words.
//!
//! The types in braces are those of [`WordType`]. The parameters of a row are the kinds of operands for which its
//! bodies are specialised; the variant of the body is chosen by the operands `In<..>` and `Out<..>`. Instructions of
//! variable length have more words after those of their row, which begin at `o.end`; the row's comment says what they
//! are.
//!
//! Constant data, and types without a size: a body costs the same as one with the numbers written out.

use core::marker::PhantomData;

use layout::{Export, Term};

use crate::operand::{Any, Dest, K, Operand, Source, X, Y};

/// An operand word: its type, and its position after the handler word.
pub(crate) struct At<T, const I: usize>(PhantomData<T>);

impl<T, const I: usize> Clone for At<T, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const I: usize> Copy for At<T, I> {}

impl<T, const I: usize> At<T, I> {
    /// The position.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn index(self) -> usize {
        I
    }

    /// The word, for code that has the address of the first operand word instead of the machine's registers.
    ///
    /// # Safety
    /// `words` are the operand words of an instruction with this encoding.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn of(self, words: *const u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { *words.add(I) }
    }
}

/// A source operand, of the kind `A` in a specialised body.
pub(crate) struct In<A = Any>(PhantomData<A>);
/// A destination operand, of the kind `A` in a specialised body.
pub(crate) struct Out<A = Any>(PhantomData<A>);
/// A label; 0 stands for none.
pub(crate) struct Label;
/// A count, a size, a header or flags: anything that fits the immediate operand of a machine instruction.
pub(crate) struct Number;
/// Any 64-bit value.
pub(crate) struct Wide;
/// An export, which is never freed.
pub(crate) struct ExportRef;
/// A floating-point register, as its byte offset.
pub(crate) struct FloatRegister;
/// The position after the last operand of the row.
pub(crate) struct End;

/// What a word can hold for the purpose of comparing encodings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordClass {
    Operand,
    Label,
    Number,
    Wide,
    Export,
}

/// Where the code generator writes words to.
pub(crate) trait WordSink {
    fn word(&mut self, word: u64);

    /// Writes the address of a label, or 0 for label 0.
    fn label(&mut self, label: u32);
}

/// The type of an operand word.
pub(crate) trait WordType {
    /// What the code generator provides for it.
    type Value;
    const CLASS: WordClass;

    fn write(value: Self::Value, sink: &mut impl WordSink);
}

macro_rules! word_types {
    ($($type:ty as $value:ty, $class:ident: |$name:ident| $word:expr;)*) => {
        $(
            impl WordType for $type {
                type Value = $value;
                const CLASS: WordClass = WordClass::$class;

                fn write($name: $value, sink: &mut impl WordSink) {
                    sink.word($word);
                }
            }
        )*
    };
}

word_types! {
    In as Operand, Operand: |operand| operand.word();
    Out as Operand, Operand: |operand| operand.word();
    X as Operand, Operand: |operand| operand.word();
    Y as Operand, Operand: |operand| operand.word();
    Any as Operand, Operand: |operand| operand.word();
    K as Term, Operand: |term| term.bits();
    Number as u64, Number: |number| number;
    Wide as u64, Wide: |word| word;
    ExportRef as *const Export, Export: |export| export as u64;
    FloatRegister as u64, Number: |offset| offset;
}

impl WordType for Label {
    type Value = u32;
    const CLASS: WordClass = WordClass::Label;

    fn write(label: u32, sink: &mut impl WordSink) {
        sink.label(label);
    }
}

/// Types whose word may be read as a number.
pub(crate) trait PlainWord {}

impl PlainWord for Number {}
impl PlainWord for Label {}
impl PlainWord for FloatRegister {}
impl PlainWord for X {}
impl<A> PlainWord for Out<A> {}

/// A row of the table, as the code generator writes it.
pub(crate) trait Encoding: Sized {
    /// The positions of the operands, which may be of any kind.
    type Operands: Copy;
    const OPERANDS: Self::Operands;
    const CLASSES: &'static [WordClass];

    /// Writes the operand words.
    fn write(self, sink: &mut impl WordSink);
}

/// The positions of the operands in a body specialised for these kinds.
pub(crate) trait OperandsOf<Kinds> {
    type Operands: Copy;
    const OPERANDS: Self::Operands;
}

/// The type that [`OperandsOf`] and [`Encoding`] have as `Operands`.
pub(crate) trait Operands {
    type Encoding: Encoding;
}

/// Implemented if an instruction of this encoding can be handled by a slow path that reads the encoding `W`.
pub(crate) trait BeginsWith<W> {}

impl<W> BeginsWith<W> for W {}

macro_rules! any {
    ($kind:ident) => {
        Any
    };
}

/// The second of two arguments, of which the first has chosen a repetition.
macro_rules! second {
    ($first:ident, $($second:tt)*) => {
        $($second)*
    };
}

macro_rules! encodings {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$($kind:ident: $bound:ident),*>)? { $($field:ident: $type:ident $(<$of:ident>)?),* }
    )*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name {
                $(pub $field: <$type as WordType>::Value,)*
            }

            impl $name {
                /// The operands by which the variant of a body is chosen.
                #[allow(dead_code, reason = "slow paths have no variants")]
                #[must_use]
                pub(crate) fn specialised(&self) -> [Operand; { 0 $($(+ second!($of, 1))?)* }] {
                    [$($(second!($of, self.$field),)?)*]
                }
            }

            const _: () = {
                #[allow(non_camel_case_types)]
                enum Index {
                    $($field,)*
                    end,
                }

                #[allow(dead_code, reason = "some operands are only read by a slow path of another encoding")]
                pub(crate) struct Positions<$($($kind),*)?> {
                    $(pub $field: At<$type $(<$of>)?, { Index::$field as usize }>,)*
                    pub end: At<End, { Index::end as usize }>,
                }

                impl<$($($kind),*)?> Clone for Positions<$($($kind),*)?> {
                    fn clone(&self) -> Self {
                        *self
                    }
                }

                impl<$($($kind),*)?> Copy for Positions<$($($kind),*)?> {}

                impl<$($($kind),*)?> Positions<$($($kind),*)?> {
                    const ALL: Self = Positions {
                        $($field: At(PhantomData),)*
                        end: At(PhantomData),
                    };
                }

                impl<$($($kind),*)?> Operands for Positions<$($($kind),*)?> {
                    type Encoding = $name;
                }

                impl<$($($kind: $bound),*)?> OperandsOf<($($($kind,)*)?)> for $name {
                    type Operands = Positions<$($($kind),*)?>;
                    const OPERANDS: Self::Operands = Positions::ALL;
                }

                impl Encoding for $name {
                    type Operands = Positions<$($(any!($kind)),*)?>;
                    const OPERANDS: Self::Operands = Positions::ALL;
                    const CLASSES: &'static [WordClass] = &[$(<$type as WordType>::CLASS),*];

                    #[allow(unused_variables)]
                    fn write(self, sink: &mut impl WordSink) {
                        $(<$type as WordType>::write(self.$field, sink);)*
                    }
                }
            };
        )*
    };
}

encodings! {
    /// No operands.
    Nothing {}

    // Moves and frames.
    SourceDest<A: Source, B: Dest> { source: In<A>, dest: Out<B> }
    Destination<A: Dest> { dest: Out<A> }
    Value { value: Any }
    Move2 { source: X, dest: X, source2: X, dest2: X }
    Move2YX { source: Y, dest: X, source2: Y, dest2: X }
    Move2XY { source: X, dest: Y, source2: X, dest2: Y }
    TwoX { a: X, b: X }
    XAndY { x: X, y: Y }
    OneY { y: Y }
    TwoY { a: Y, b: Y }
    /// `count` destinations follow.
    InitYs { count: Number }
    /// Bytes of a frame or of the heap, and the number of live X registers.
    Allocation { bytes: Number, live: Number }
    /// Bytes of Y registers, live X registers, bytes of frame and heap.
    FrameAndHeap { frame: Number, live: Number, total: Number }
    /// Bytes of Y registers.
    Frame { frame: Number }

    // Lists and tuples.
    GetList<A: Source, B: Dest, C: Dest> { list: In<A>, head: Out<B>, tail: Out<C> }
    IsNonemptyListGetList<A: Source, B: Dest, C: Dest> { list: In<A>, head: Out<B>, tail: Out<C>, fail: Label }
    Pair<A: Source, B: Source, C: Dest> { a: In<A>, b: In<B>, dest: Out<C> }
    Triple { a: Any, b: Any, c: Any, dest: Any }
    GetTupleElement<A: Source, B: Dest> { tuple: In<A>, dest: Out<B>, offset: Number }
    GetTupleElement2<A: Source, B: Dest, C: Dest> {
        tuple: In<A>, dest: Out<B>, dest2: Out<C>, offset: Number, offset2: Number
    }
    SetTupleElement<A: Source, B: Source> { value: In<A>, tuple: In<B>, offset: Number }
    /// As many elements follow as the header says.
    PutTuple { dest: Any, header: Number }
    /// The header is that of the tuple and of its copy; `count` pairs follow: a place, as a small integer counted from
    /// 1, and the new element.
    UpdateRecord { tuple: Any, dest: Any, header: Number, count: Number }
    /// The offset is from a tuple's tagged pointer.
    CopyElement<A: Source> { tuple: In<A>, offset: Number }
    /// The offset is from the heap top.
    PutHeader { offset: Number, header: Number }
    /// The offset is from the heap top.
    PutElement<A: Source> { element: In<A>, offset: Number }
    EndTuple<A: Dest> { dest: Out<A>, bytes: Number }

    // Tests.
    Test<A: Source> { term: In<A>, fail: Label }
    TestArity<A: Source> { tuple: In<A>, header: Number, fail: Label }
    IsTaggedTuple<A: Source> { term: In<A>, header: Number, tag: K, fail: Label }
    IsFunction2<A: Source> { term: In<A>, arity: Any, fail: Label }
    IsFunctionOfArity<A: Source> { term: In<A>, arity: Number, fail: Label }
    Comparison<A: Source, B: Source> { a: In<A>, b: In<B>, fail: Label }
    CompareImmediate<A: Source> { a: In<A>, b: K, fail: Label }

    // Jumps. After `Select` follow `count` values and then as many labels; after `JumpTable`, room for as many
    // addresses of machine code, and then the labels.
    Jump { label: Label }
    Select<A: Source> { term: In<A>, fail: Label, count: Number }
    Select2<A: Source> { term: In<A>, fail: Label, value: K, label: Label, value2: K, label2: Label }
    SelectArity2<A: Source> {
        term: In<A>, fail: Label, header: Number, label: Label, header2: Number, label2: Label
    }
    JumpTable<A: Source> { term: In<A>, fail: Label, least: K, count: Number }
    SelectNode<A: Source> { term: In<A>, value: K, equal: Label, less: Label }

    // Calls. `frame` is a number of bytes; `behind` is the X register after the arguments.
    CallWithin { label: Label, behind: Label }
    CallLast { label: Label, frame: Number }
    MoveCall<A: Source> { source: In<A>, dest: X, label: Label }
    MoveCallWithin<A: Source> { source: In<A>, dest: X, label: Label, behind: Label }
    MoveCallLast<A: Source> { source: In<A>, dest: X, label: Label, frame: Number }
    ReturnWithin { frame: Number, label: Label }
    MoveReturn<A: Source> { source: In<A>, dest: X }
    MoveDeallocateReturn<A: Source> { source: In<A>, dest: X, frame: Number }
    CallExport { export: ExportRef }
    CallExportLast { export: ExportRef, frame: Number }
    CallFun<A: Source> { fun: In<A>, arity: Number, behind: X }
    CallFunLast<A: Source> { fun: In<A>, arity: Number, frame: Number, behind: X }
    /// `shape` is `arity | free << 8`; `free` free variables follow.
    MakeFun { dest: Any, entry: Wide, shape: Number }
    FunHead { dest: Any, entry: Wide, shape: Number, header: Number }
    Apply { arity: Number }
    ApplyLast { arity: Number, frame: Number }

    // BIFs. `live` is `NO_LIVE` in operations that may not collect.
    Bif0 { dest: Any, fail: Label, live: Number, export: ExportRef }
    Bif1<A: Source, B: Dest> { a: In<A>, dest: Out<B>, fail: Label, live: Number, export: ExportRef }
    Bif2<A: Source, B: Source, C: Dest> {
        a: In<A>, b: In<B>, dest: Out<C>, fail: Label, live: Number, export: ExportRef
    }
    Bif3 { a: Any, b: Any, c: Any, dest: Any, fail: Label, live: Number, export: ExportRef }
    /// Ends with the offset of the element and the header of the smallest tuple that has it.
    ElementConstant<A: Source, B: Dest> {
        index: Any, tuple: In<A>, dest: Out<B>, fail: Label, live: Number, export: ExportRef,
        offset: Number, header: Number
    }

    /// Ends with the address of the tuple's first element and their number.
    ElementOfConstant<A: Source, B: Dest> {
        index: In<A>, tuple: Any, dest: Out<B>, fail: Label, live: Number, export: ExportRef,
        elements: Wide, count: Number
    }

    /// A `Bif2` whose second argument is a constant, and what the fast path makes of that.
    ByConstant<A: Source, B: Dest> {
        a: In<A>, b: Any, dest: Out<B>, fail: Label, live: Number, export: ExportRef, by: Number
    }

    /// Two operands of an operation whose result the next one masks, which `after` is behind; `mask` are the bits of a
    /// term that remain, without those of the tag.
    Masked<A: Source, B: Source, C: Dest> { a: In<A>, b: In<B>, dest: Out<C>, mask: Wide, after: Label }

    /// As `Masked`, of a product with the constant `factor` and a sum with `b`, which are three operations.
    MaskedSum<A: Source, B: Source, C: Dest> {
        a: In<A>, b: In<B>, dest: Out<C>, factor: Wide, mask: Wide, after: Label
    }

    /// A `Bif2` whose second argument is a constant that divides the first; the last three are from
    /// `bodies::arith::reciprocal`, or are the bits and the shift of a power of two.
    ByDivisor<A: Source, B: Dest> {
        a: In<A>, b: Any, dest: Out<B>, fail: Label, live: Number, export: ExportRef,
        by: Number, shift: Number, reciprocal: Wide
    }

    // Maps.
    /// As many values follow as a flat map of `bytes` has.
    NewMap { bytes: Number, live: Number, dest: Any, keys: K }
    GetMapElement<A: Source, B: Dest> { map: In<A>, dest: Out<B>, key: K, fail: Label }
    GetMapElementOf<A: Source, B: Source, C: Dest> { map: In<A>, key: In<B>, dest: Out<C>, fail: Label }
    /// `count` pairs of key and destination, or `count` keys follow.
    GetMapElements { map: Any, fail: Label, count: Number }
    /// `exact` is 1 if all keys must exist already; `count` pairs of key and value follow.
    PutMap { map: Any, dest: Any, fail: Label, live: Number, exact: Number, count: Number }

    // Native records.
    IsNativeRecord<A: Source> { term: In<A>, module: K, name: K, fail: Label }
    /// The module is an atom, or `[]` if only exported records pass.
    IsRecordAccessible<A: Source> { term: In<A>, module: K, fail: Label }
    GetRecordElement<A: Source, B: Dest> { record: In<A>, dest: Out<B>, field: K, fail: Label }
    /// `count` pairs of field and destination follow.
    GetRecordElements { record: Any, fail: Label, count: Number }
    /// The scope is one of `slow::records::scope`.
    GetRecordField { record: Any, dest: Any, fail: Label, module: K, name: K, scope: Number, field: K }
    /// As many values follow as a record of `bytes` has.
    NewRecord { bytes: Number, live: Number, dest: Any, definition: K }
    /// `[]` in place of a record stands for a new one; `count` pairs of field and value follow.
    PutRecord {
        record: Any, dest: Any, fail: Label, live: Number, module: K, name: K, scope: Number, count: Number
    }

    // Floats.
    FloatBinary { a: FloatRegister, b: FloatRegister, dest: FloatRegister }
    FloatUnary { source: FloatRegister, dest: FloatRegister }
    FloatLoad<A: Source> { source: In<A>, dest: FloatRegister }
    FloatStore<A: Dest> { source: FloatRegister, dest: Out<A> }

    // Matching bit strings.
    StartMatch<A: Source, B: Dest> { term: In<A>, dest: Out<B>, fail: Label, live: Number }
    GetBits<A: Source, B: Dest> {
        context: In<A>, size: Any, dest: Out<B>, fail: Label, live: Number, unit: Number, flags: Number
    }
    /// As `GetBits`, for a constant width; `last` depends on the operation.
    GetWindow<A: Source, B: Dest> {
        context: In<A>, size: Any, dest: Out<B>, fail: Label, live: Number, unit: Number, flags: Number,
        width: Number, mask: Wide, last: Wide
    }
    /// The next `width` bits, under the mask, must equal `bits`.
    MatchBits<A: Source> { context: In<A>, fail: Label, width: Number, mask: Wide, bits: Wide }
    MatchString { context: Any, fail: Label, bits: Number, string: Wide }
    /// `dest` is `NO_DEST` if the character is skipped.
    GetCharacter<A: Source, B: Dest> { context: In<A>, dest: Out<B>, fail: Label, flags: Number }
    SkipCharacter<A: Source> { context: In<A>, fail: Label }
    /// A number of bits, or a unit, which is not 0.
    TestBits<A: Source> { context: In<A>, fail: Label, bits: Number }
    /// At least `bits` must be left, and what is left behind them must have none of the bits of `mask`.
    TestRest<A: Source> { context: In<A>, fail: Label, bits: Number, mask: Number }
    /// As `TestRest`; what is left behind must be a multiple of the unit.
    TestRestUnit { context: Any, fail: Label, bits: Number, unit: Number }
    /// As `GetWindow`, of bits that are known to be left.
    ReadWindow<A: Source, B: Dest> { context: In<A>, dest: Out<B>, width: Number, mask: Wide, last: Wide }
    /// An integer of the window at the heap top; `shift` bits follow it there.
    TakeFromWindow<A: Dest> { dest: Out<A>, shift: Number, mask: Wide, last: Wide }
    TakeByte<A: Dest> { dest: Out<A>, index: Number }
    /// A number of bits that are known to be left.
    Advance<A: Source> { context: In<A>, bits: Number }
    SkipUnits { context: Any, fail: Label, size: Any, unit: Number }
    GetTail<A: Source, B: Dest> { context: In<A>, dest: Out<B>, live: Number }
    SetPosition<A: Source, B: Source> { context: In<A>, position: In<B> }

    // Building bit strings whose segments have known sizes (`bodies::building`). If something is not as expected, they
    // jump to `fail`, where the general operation is. Offsets are from the position.
    /// Bytes of heap for the binary and for the code behind it.
    StartBinary { bytes: Number, fail: Label }
    StartBinaryAround<A: Source> { inner: In<A>, most: Number, bytes: Number, fail: Label }
    /// At most `most` bytes are appended, or more by segments that check that themselves.
    StartAppend<A: Source> { string: In<A>, most: Number, bytes: Number, fail: Label }
    /// The bits under the mask, and those in `GATHERED`; `factor` makes place for either.
    Gather<A: Source> { source: In<A>, factor: Wide, mask: Wide, fail: Label }
    /// As `Gather`, of two sources.
    GatherTwo<A: Source, B: Source> {
        a: In<A>, b: In<B>, factor_a: Wide, mask_a: Wide, factor_b: Wide, mask_b: Wide, fail: Label
    }
    /// For a shift, the offset is the number of bits.
    PutValue<A: Source> { source: In<A>, offset: Number, fail: Label }
    PutFlagged { source: Any, offset: Number, flags: Number, fail: Label }
    /// `rest` bytes must fit behind the segment.
    PutBytes<A: Source> { source: In<A>, offset: Number, rest: Number, fail: Label }
    /// As `PutBytes`, for `size` times `unit` bytes of the source.
    PutPart { source: Any, size: Any, unit: Number, offset: Number, rest: Number, fail: Label }
    /// Appends `size` times `unit` bits to those in `GATHERED`; `first` is 1 for the first segment of all, and
    /// `first_sized` for the first of this kind. There may be `most` bits of this kind.
    GatherSized {
        source: Any, size: Any, unit: Number, first: Number, first_sized: Number, most: Number, fail: Label
    }
    /// Appends the bits in `GATHERED`: `bits`, and those of `GatherSized`, of which there are some if `sized` is 1.
    /// `kind` is an index into `SEGMENT_KINDS`; `Integer` stands for a new string.
    EndGathered {
        string: Any, kind: Number, bits: Number, sized: Number, dest: Any, bytes: Number, fail: Label, done: Label
    }
    PutConstant { value: Number, offset: Number }
    PutConstantWord { value: Wide, offset: Number }
    /// The size is in bytes; `bytes` are those of the whole object.
    EndBinary<A: Dest> { header: Number, size: Number, bytes: Number, dest: Out<A>, done: Label }
    EndBytes<A: Dest> { offset: Number, dest: Out<A>, done: Label }
    EndAppend<A: Source, B: Dest> { string: In<A>, offset: Number, dest: Out<B>, done: Label }

    // Building bit strings. `heap` is the bytes of heap needed afterwards.
    /// `bits` is the sum of the segments of known size; `count` times the words of `Segment` follow.
    Create { fail: Label, live: Number, dest: Any, heap: Number, count: Number, bits: Number }
    /// `kind` is an index into `SEGMENT_KINDS`; `bits` is the size of an integer or a string of known size.
    Segment {
        kind: Number, number: Number, unit: Number, flags: Number, source: Any, size: Any, string: Wide,
        bits: Number
    }
    /// The unit of the size is 8 or 1.
    Init { fail: Label, live: Number, dest: Any, heap: Number, size: Any, unit: Number }
    /// `private` is 1 for a binary that only this code refers to, and then `live` and `heap` are 0.
    AppendTo {
        fail: Label, live: Number, dest: Any, heap: Number, size: Any, unit: Number, binary: Any,
        private: Number
    }
    PutSegment { fail: Label, value: Any, size: Any, unit: Number, flags: Number }
    /// The label is always 0; the length is in bytes.
    PutString { fail: Label, string: Wide, length: Number }
    PutCharacter { fail: Label, value: Any, flags: Number }
    /// `a + b * unit`
    AddSizes { fail: Label, a: Any, b: Any, unit: Number, dest: Any }

    // Exceptions.
    Catch { y: Y, handler: Label }
    /// `first`: see [`crate::tiering`]. The arity comes last, just before the function's entry.
    FunctionClause { module: K, function: K, first: Wide, arity: Number }
    Raise { trace: Any, reason: Any }
    /// `target`: where the code of the function begins, or 0 (`outline`).
    Outlined { target: Wide }

    // Coverage.
    /// The address of a byte or a counter.
    CoveragePlace { place: Wide }

    // Breakpoints at lines.
    /// The address of a byte.
    LinePlace { place: Wide, live: Number }

    // Messages.
    LoopRec<A: Dest> { dest: Out<A>, label: Label }
    WaitTimeout { label: Label, timeout: Any }
    MarkerBind { marker: Any, reference: Any }
}

/// Implements [`BeginsWith`] where it holds.
macro_rules! begins_with {
    ($($long:ident: $short:ident;)*) => {
        $(
            impl BeginsWith<$short> for $long {}
            const _: () = assert!(begins_with(<$long>::CLASSES, <$short>::CLASSES));
        )*
    };
}

begins_with! {
    ElementConstant: Bif2;
    ElementOfConstant: Bif2;
    NewMap: Allocation;
    NewRecord: Allocation;
    FloatBinary: Nothing;
}

const fn begins_with(long: &[WordClass], short: &[WordClass]) -> bool {
    let mut index = 0;
    while index < short.len() {
        if index == long.len() || long[index] as u8 != short[index] as u8 {
            return false;
        }
        index += 1;
    }
    true
}
