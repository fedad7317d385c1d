# rustc 1.95.0 (59807616e 2026-04-14)

Absolute:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    29
    mov    %rax,%r9
    sar    $0x4,%r9
    movabs $0xf800000000000000,%r10
    cmp    %r10,%r9
    jne    38
    mov    0x0(%rip),%rax        # 30
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    sar    $0x3f,%rax
    xor    %rax,%r9
    sub    %rax,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    jmp    56
      PLT32	CONT-0x4

Add:
    lea    0x0(%rip),%r9        # 7
      PC32	HOLE_1-0x13
    add    0x0(%rdi),%r9
      32S	HOLE_0
    jno    1f
    mov    0x0(%rip),%rax        # 17
      PC32	add-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    2b
      PLT32	PASS-0x4

AddFloats:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    movsd  0x6(%rax),%xmm0
    addsd  0x0(%rip),%xmm0        # 14
      PC32	HOLE_1+0x2
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jge    3e
    lea    0x30(%rdx),%rax
    cmp    %rsi,%rax
    jbe    4d
    mov    0x0(%rip),%rax        # 45
      PC32	add-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movq   $0x58,(%rdx)
    movsd  %xmm0,0x8(%rdx)
    lea    0x10(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    70
      PLT32	CONT-0x4

Advance:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    addq   $0x0,0xe(%rax)
      32S	HOLE_1
    jmp    14
      PLT32	CONT-0x4

Allocate:
    lea    0x0(%rdx),%rax
      32S	HOLE_0+0x20
    cmp    %rsi,%rax
    jbe    1b
    mov    0x0(%rip),%rax        # 13
      PC32	allocate-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $0x0,%eax
      32	HOLE_0
    sub    %rax,%rsi
    jmp    28
      PLT32	CONT-0x4

AllocateHeap:
    lea    0x0(%rdx),%rax
      32S	HOLE_2+0x20
    cmp    %rsi,%rax
    jbe    1b
    mov    0x0(%rip),%rax        # 13
      PC32	allocate_heap-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $0x0,%eax
      32	HOLE_0
    sub    %rax,%rsi
    jmp    28
      PLT32	CONT-0x4

And:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    cmp    $false,%r9
    je     3c
    cmp    $true,%r9
    jne    51
    cmp    $true,%rax
    je     30
    cmp    $false,%rax
    jne    51
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    3c
      PLT32	CONT-0x4
    cmp    $false,%rax
    je     60
    cmp    $true,%rax
    mov    $false,%eax
    je     30
    mov    0x0(%rip),%rax        # 58
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $false,%eax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    71
      PLT32	CONT-0x4

BitAnd:
    and    0x0(%rdi),%r9
      32S	HOLE_0
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    13
      PLT32	PASS-0x4

BitNot:
    not    %r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    jmp    13
      PLT32	PASS-0x4

BitOr:
    or     0x0(%rdi),%r9
      32S	HOLE_0
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    13
      PLT32	PASS-0x4

BitXor:
    lea    0x0(%rip),%rax        # 7
      PC32	HOLE_0-0x13
    xor    %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    16
      PLT32	PASS-0x4

ByteSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    43
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x20,%r9
    je     25
    cmp    $0x28,%r9d
    je     3d
    cmp    $0x24,%r9d
    jne    43
    mov    0x6(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    3d
      PLT32	CONT-0x4
    cmpb   $0x0,0x16(%rax)
    je     25
    mov    0x0(%rip),%rax        # 4a
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Call:
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x10
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     16
    jmp    16
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 1d
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

CallExport:
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x10
    add    $0xfffffffffffffff8,%rsi
    mov    0x0(%rip),%rax        # 13
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    js     20
    mov    (%r9),%rax
    jmp    *%rax
    mov    0x0(%rip),%rax        # 27
      PC32	preempt-0x4
    jmp    *%rax

CallExportLast:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    js     1b
    mov    (%r9),%rax
    lea    0x0(%rsi),%rsi
      32S	HOLE_1
    jmp    *%rax
    mov    0x0(%rip),%rax        # 22
      PC32	preempt-0x4
    lea    0x0(%rsi),%rsi
      32S	HOLE_1
    jmp    *%rax

CallExportOnly:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    js     14
    mov    (%r9),%rax
    jmp    *%rax
    mov    0x0(%rip),%rax        # 1b
      PC32	preempt-0x4
    jmp    *%rax

CallFun:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    81
    mov    -0x2(%rax),%r9d
    and    $0x37,%r9d
    cmp    $0x14,%r9d
    jne    81
    mov    0x6(%rax),%r9
    mov    0x10(%r9),%r10d
    cmp    $0x0,%r10
      32S	HOLE_1
    jne    81
    mov    (%r9),%r9
    test   %r9,%r9
    je     81
    mov    -0x2(%rax),%r10
    cmp    $0x100,%r10
    jb     6a
    lea    0x0(%rdi),%r10
      32S	HOLE_2
    mov    $0x3,%r11d
    nopl   (%rax)
    mov    0x6(%rax,%r11,8),%rbx
    mov    %rbx,-0x18(%r10,%r11,8)
    inc    %r11
    mov    -0x2(%rax),%rbx
    shr    $0x6,%rbx
    cmp    %rbx,%r11
    jb     50
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x20
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     91
    mov    (%r9),%rax
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 88
      PC32	call_fun-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 98
      PC32	preempt-0x4
    pop    %rbx
    jmp    *%rax

CallFunLast:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    7c
    mov    -0x2(%rax),%r9d
    and    $0x37,%r9d
    cmp    $0x14,%r9d
    jne    7c
    mov    0x6(%rax),%r9
    mov    0x10(%r9),%r10d
    cmp    $0x0,%r10
      32S	HOLE_1
    jne    7c
    mov    (%r9),%r9
    test   %r9,%r9
    je     7c
    mov    -0x2(%rax),%r10
    cmp    $0x100,%r10
    jb     6a
    lea    0x0(%rdi),%r10
      32S	HOLE_3
    mov    $0x3,%r11d
    nopl   (%rax)
    mov    0x6(%rax,%r11,8),%rbx
    mov    %rbx,-0x18(%r10,%r11,8)
    inc    %r11
    mov    -0x2(%rax),%rbx
    shr    $0x6,%rbx
    cmp    %rbx,%r11
    jb     50
    lea    0x0(%rsi),%rsi
      32S	HOLE_2
    dec    %rcx
    js     8c
    mov    (%r9),%rax
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 83
      PC32	call_fun_last-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 93
      PC32	preempt-0x4
    pop    %rbx
    jmp    *%rax

CallLast:
    lea    0x0(%rsi),%rsi
      32S	HOLE_1
    dec    %rcx
    js     11
    jmp    11
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 18
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

CallOnly:
    dec    %rcx
    js     a
    jmp    a
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 11
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

CallWithin:
    movq   $0x0,-0x8(%rsi)
      32S	HOLE_1
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     16
    jmp    16
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 1d
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

Catch:
    mov    (%r8),%rax
    incl   0x34(%rax)
    mov    $0x0,%eax
      32	HOLE_1
    shl    $0x6,%rax
    or     $0x1b,%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_0-0x4
    jmp    1f
      PLT32	CONT-0x4

CatchEnd:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    cmpq   $0x0,(%rdi)
    jne    1b
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 22
      PC32	catch_value-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

CopyElement:
    mov    $0x0,%eax
      32	HOLE_1
    mov    0x0(%rax),%rax
      32S	HOLE_0
    mov    %rax,0x0(%rdx)
      32S	HOLE_1+0x2
    jmp    18
      PLT32	CONT-0x4

Count:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    lock incq (%rax)
    jmp    10
      PLT32	CONT-0x4

Deallocate:
    lea    0x0(%rsi),%rsi
      32S	HOLE_0
    jmp    c
      PLT32	CONT-0x4

DeallocateReturn:
    mov    0x0(%rsi),%r9
      32S	HOLE_0
    lea    0x0(%rsi),%rsi
      32S	HOLE_0+0x8
    mov    (%r9),%rax
    jmp    *%rax

DivideByConstant:
    mov    %rcx,%r10
    mov    %rdx,%r11
    mov    %r9,%rax
    sar    $0x4,%rax
    imulq  0x0(%rip)        # 14
      PC32	RECORD+0x44
    mov    $0x0,%ecx
      32	HOLE_7
    sar    %cl,%rdx
    shr    $0x3f,%r9
    add    %rdx,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    mov    %r11,%rdx
    mov    %r10,%rcx
    jmp    3d
      PLT32	PASS-0x4

DivideByPower:
    mov    %rcx,%rax
    mov    %r9,%rcx
    sar    $0x3f,%rcx
    mov    $0x0,%r10d
      32	HOLE_6
    and    %rcx,%r10
    add    %r10,%r9
    mov    $0x0,%ecx
      32	HOLE_7
    sar    %cl,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rcx
    jmp    31
      PLT32	PASS-0x4

Element:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    test   $0x1,%al
    jne    4d
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    %r9d,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    4d
    mov    -0x2(%rax),%r10
    mov    %r10d,%r11d
    and    $0x3f,%r11d
    jne    4d
    sar    $0x4,%r9
    lea    -0x1(%r9),%r11
    shr    $0x6,%r10
    cmp    %r10,%r11
    jae    4d
    mov    -0x2(%rax,%r9,8),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    4d
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 54
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

ElementConstant:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    test   $0x1,%al
    jne    27
    mov    -0x2(%rax),%r9
    test   $0x3f,%r9b
    setne  %r10b
    cmp    $0x0,%r9
      32S	HOLE_7
    setb   %r9b
    or     %r10b,%r9b
    je     36
    mov    0x0(%rip),%rax        # 2e
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x0(%rax),%rax
      32S	HOLE_6
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    49
      PLT32	CONT-0x4

ElementOfConstant:
    sar    $0x4,%r9
    lea    -0x1(%r9),%rax
    cmp    $0x0,%rax
      32S	HOLE_7
    jae    28
    mov    0x0(%rip),%rax        # 17
      PC32	RECORD+0x34
    mov    -0x8(%rax,%r9,8),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    28
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 2f
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

EndAppend:
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0x1e(%r10),%rax
    mov    $0x0,%r9d
      32	HOLE_1
    sub    0x26(%rax),%r9
    add    0x2058(%r8),%r9
    cmp    0x6(%r10),%r9
    jne    2e
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    jmp    2e
      PLT32	TARGET_3-0x4
    movq   $0x0,0x16(%r10)
    movq   $0x128,(%rdx)
    mov    %r9,0x8(%rdx)
    movq   $0x0,0x10(%rdx)
    movq   $0x10000,0x18(%rdx)
    mov    %rax,0x20(%rdx)
    lea    0x2(%rdx),%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    (%r8),%r10
    mov    0x1e(%rax),%r11
    mov    %r9,0x10(%r11)
    orb    $0x4,0xe(%rax)
    mov    %r9,%r11
    sub    0x6(%rax),%r11
    add    $0x28,%rdx
    shr    $0x3,%r11
    mov    %r9,0x6(%rax)
    test   %r11d,%r11d
    je     8b
      PLT32	TARGET_3-0x4
    add    0x94(%r10),%r11d
    mov    $0xffffffff,%eax
    cmovae %r11d,%eax
    mov    %eax,0x94(%r10)
    cmp    0x98(%r10),%eax
    jbe    af
      PLT32	TARGET_3-0x4
    orb    $0x4,0xa6(%r10)
    jmp    bc
      PLT32	TARGET_3-0x4

EndBinary:
    movq   $0x0,(%rdx)
      32S	HOLE_0
    movq   $0x0,0x8(%rdx)
      32S	HOLE_1
    lea    0x0(%rdx),%rax
      32S	HOLE_2
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_3
    mov    %rax,%rdx
    jmp    29
      PLT32	TARGET_4-0x4

EndMeasuredBinary:
    mov    0x2058(%r8),%rax
    mov    $0x0,%r9d
      32	HOLE_0
    sub    %rdx,%r9
    lea    (%r9,%rax,1),%r10
    add    $0xfffffffffffffff0,%r10
    add    %r9,%rax
    add    $0xfffffffffffffff7,%rax
    and    $0xfffffffffffffff8,%rax
    lea    0x64(,%rax,8),%r9
    mov    %r9,(%rdx)
    mov    %r10,0x8(%rdx)
    add    %rdx,%rax
    add    $0x10,%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rdx
    jmp    4c
      PLT32	TARGET_2-0x4

EndPrivateAppend:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x1e(%rax),%r10
    mov    $0x0,%r11d
      32	HOLE_1
    sub    0x26(%r10),%r11
    add    0x2058(%r8),%r11
    mov    %r11,0x6(%rax)
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    mov    (%r8),%rax
    mov    0x1e(%r10),%r9
    mov    %r11,0x10(%r9)
    orb    $0x4,0xe(%r10)
    mov    %r11,%r9
    sub    0x6(%r10),%r9
    shr    $0x3,%r9
    mov    %r11,0x6(%r10)
    test   %r9d,%r9d
    je     4f
      PLT32	TARGET_3-0x4
    add    0x94(%rax),%r9d
    mov    $0xffffffff,%r10d
    cmovae %r9d,%r10d
    mov    %r10d,0x94(%rax)
    cmp    0x98(%rax),%r10d
    jbe    74
      PLT32	TARGET_3-0x4
    orb    $0x4,0xa6(%rax)
    jmp    80
      PLT32	TARGET_3-0x4

EndTuple:
    lea    0x0(%rdx),%rax
      32S	HOLE_1
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,%rdx
    jmp    1a
      PLT32	CONT-0x4

Equal:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $true,%eax
    mov    $false,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

EqualExact:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    cmp    %r9,%rax
    je     2c
    mov    %eax,%r10d
    and    $0x3,%r10d
    cmp    $0x3,%r10d
    je     2c
    mov    %r9d,%r10d
    xor    %eax,%r10d
    test   $0x3,%r10b
    je     4a
    cmp    %r9,%rax
    mov    $true,%eax
    mov    $false,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    4a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 51
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

FloatAdd:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x58
    addsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x58
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42
    mov    0x0(%rip),%rax        # 3a
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x58
    jmp    50
      PLT32	CONT-0x4

FloatConvert:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a
    sar    $0x4,%rax
    cvtsi2sd %rax,%xmm0
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x58
    jmp    2a
      PLT32	CONT-0x4
    test   $0x1,%al
    jne    48
    cmpq   $0x58,-0x2(%rax)
    jne    48
    movsd  0x6(%rax),%xmm0
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x58
    jmp    48
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 4f
      PC32	convert-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

FloatDivide:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x58
    divsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x58
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42
    mov    0x0(%rip),%rax        # 3a
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x58
    jmp    50
      PLT32	CONT-0x4

FloatLoad:
    movsd  0x0(%rip),%xmm0        # 8
      PC32	HOLE_0+0x2
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x58
    jmp    16
      PLT32	CONT-0x4

FloatMultiply:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x58
    mulsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x58
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42
    mov    0x0(%rip),%rax        # 3a
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x58
    jmp    50
      PLT32	CONT-0x4

FloatStore:
    mov    0x0(%r8),%rax
      32S	HOLE_0+0x58
    movq   $0x58,(%rdx)
    mov    %rax,0x8(%rdx)
    lea    0x10(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rdx
    jmp    29
      PLT32	CONT-0x4

FloatSubtract:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x58
    subsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x58
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42
    mov    0x0(%rip),%rax        # 3a
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x58
    jmp    50
      PLT32	CONT-0x4

FunHead:
    movq   $0x0,(%rdx)
      32S	HOLE_3
    mov    0x0(%rip),%rax        # e
      PC32	RECORD+0xc
    mov    %rax,0x8(%rdx)
    movq   $0x0,0x10(%rdx)
      32S	HOLE_2
    mov    (%r8),%rax
    mov    0x28(%rax),%rax
    mov    %rax,0x18(%rdx)
    jmp    2a
      PLT32	CONT-0x4

Gather:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    48
    mov    0x2000(%rdi),%r9
    shr    $0x4,%r9
    imul   0x0(%rip),%r9        # 26
      PC32	RECORD+0xc
    shr    $0x4,%rax
    and    0x0(%rip),%rax        # 31
      PC32	RECORD+0x14
    or     %r9,%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x2000(%rdi)
    jmp    48
      PLT32	CONT-0x4
    jmp    4d
      PLT32	TARGET_3-0x4

GatherFirst:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x14
    and    0x0(%rdi),%rax
      32S	HOLE_0
    imul   0x0(%rip),%rax        # 16
      PC32	RECORD+0xc
    or     $0xf,%rax
    mov    %rax,0x2000(%rdi)
    jmp    26
      PLT32	CONT-0x4

GatherFirstTwo:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x1c
    and    0x0(%rdi),%rax
      32S	HOLE_0
    imul   0x0(%rip),%rax        # 16
      PC32	RECORD+0x14
    mov    0x0(%rip),%r9        # 1d
      PC32	RECORD+0x2c
    and    0x0(%rdi),%r9
      32S	HOLE_1
    imul   0x0(%rip),%r9        # 2c
      PC32	RECORD+0x24
    or     %rax,%r9
    or     $0xf,%r9
    mov    %r9,0x2000(%rdi)
    jmp    3f
      PLT32	CONT-0x4

GatherNext:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x14
    and    0x0(%rdi),%rax
      32S	HOLE_0
    imul   0x0(%rip),%rax        # 16
      PC32	RECORD+0xc
    or     %rax,0x2000(%rdi)
    jmp    22
      PLT32	CONT-0x4

GatherNextTwo:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x1c
    and    0x0(%rdi),%rax
      32S	HOLE_0
    imul   0x0(%rip),%rax        # 16
      PC32	RECORD+0x14
    mov    0x0(%rip),%r9        # 1d
      PC32	RECORD+0x2c
    and    0x0(%rdi),%r9
      32S	HOLE_1
    imul   0x0(%rip),%r9        # 2c
      PC32	RECORD+0x24
    or     %rax,%r9
    or     %r9,0x2000(%rdi)
    jmp    3b
      PLT32	CONT-0x4

GetHd:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    -0x1(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    17
      PLT32	CONT-0x4

GetInteger16:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x10,%r10
    jb     1c
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31
    mov    0x0(%rip),%rax        # 29
      PC32	get_integer-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x6(%rax),%r10
    mov    %r9,%r11
    shr    $0x3,%r11
    movzwl (%r10,%r11,1),%r10d
    add    $0x10,%r9
    mov    %r9,0xe(%rax)
    rol    $0x8,%r10w
    movzwl %r10w,%eax
    shl    $0x4,%eax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    65
      PLT32	CONT-0x4

GetInteger32:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x20,%r10
    jb     1c
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31
    mov    0x0(%rip),%rax        # 29
      PC32	get_integer-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x6(%rax),%r10
    mov    %r9,%r11
    shr    $0x3,%r11
    mov    (%r10,%r11,1),%r10d
    add    $0x20,%r9
    mov    %r9,0xe(%rax)
    bswap  %r10d
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    jmp    5f
      PLT32	CONT-0x4

GetInteger8:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x8,%r10
    jb     1c
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31
    mov    0x0(%rip),%rax        # 29
      PC32	get_integer-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x6(%rax),%r10
    mov    %r9,%r11
    shr    $0x3,%r11
    movzbl (%r10,%r11,1),%r10d
    add    $0x8,%r9
    mov    %r9,0xe(%rax)
    shl    $0x4,%r10d
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    jmp    5d
      PLT32	CONT-0x4

GetList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    -0x1(%rax),%r9
    mov    0x7(%rax),%rax
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    22
      PLT32	CONT-0x4

GetLittle:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c
      PLT32	TARGET_3-0x4
    mov    %rax,0xe(%r9)
    mov    0x6(%r9),%r9
    lea    0x0(%r10),%r10
      32S	HOLE_7+0x7
    shr    $0x3,%r10
    mov    -0x8(%r9,%r10,1),%r10
    bswap  %r10
    neg    %al
    and    $0x7,%al
    mov    %rcx,%r9
    mov    %eax,%ecx
    shr    %cl,%r10
    and    0x0(%rip),%r10        # 4a
      PC32	RECORD+0x44
    imul   0x0(%rip),%r10        # 52
      PC32	RECORD+0x4c
    bswap  %r10
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    6c
      PLT32	CONT-0x4

GetMapElement:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    58
    movabs $0xc00000003f,%r9
    and    -0x2(%rax),%r9
    cmp    $0x2c,%r9
    jne    58
    mov    0x6(%rax),%r9
    mov    0xe(%rax),%r11
    xor    %r10d,%r10d
    nopl   0x0(%rax,%rax,1)
    cmp    %r10,%r9
    je     68
    mov    0x6(%r11,%r10,8),%rbx
    inc    %r10
    cmp    $0x0,%rbx
      32S	HOLE_2
    jne    30
    mov    0xe(%rax,%r10,8),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    pop    %rbx
    jmp    58
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 5f
      PC32	get_map_element-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    pop    %rbx
    jmp    6e
      PLT32	TARGET_3-0x4

GetMapElementOf:
    push   %r14
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    $0x1,%r10d
    test   $0x1,%al
    jne    1f
    mov    -0x2(%rax),%r10
    mov    %r9d,%r11d
    not    %r11d
    test   $0x3,%r11b
    jne    135
    movabs $0xc00000003f,%r11
    and    %r10,%r11
    movabs $0x400000002c,%rbx
    cmp    %rbx,%r11
    je     9c
    cmp    $0x2c,%r11
    jne    135
    mov    0x6(%rax),%r10
    mov    0xe(%rax),%r11
    add    $0xe,%rax
    xor    %ebx,%ebx
    data16 data16 data16 cs nopw 0x0(%rax,%rax,1)
    cmp    %rbx,%r10
    je     159
    mov    0x6(%r11,%rbx,8),%r14
    inc    %rbx
    add    $0x8,%rax
    cmp    %r9,%r14
    jne    70
    mov    (%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    pop    %rbx
    pop    %r14
    jmp    9c
      PLT32	CONT-0x4
    cmpb   $0x1,0x40(%r8)
    jne    135
    mov    %r9,%r11
    shr    $0x21,%r11
    xor    %r9,%r11
    movabs $0xff51afd7ed558ccd,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    movabs $0xc4ceb9fe1a85ec53,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jae    159
    mov    %r11d,%ebx
    and    $0xf,%ebx
    add    $0xe,%rax
    nopl   0x0(%rax,%rax,1)
    bzhi   %ebx,%r10d,%r10d
    popcnt %r10d,%r10d
    mov    (%rax,%r10,8),%rax
    test   $0x2,%al
    je     147
    shr    $0x4,%r11d
    je     135
    add    $0xfffffffffffffffe,%rax
    mov    (%rax),%r10
    add    $0x8,%rax
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jb     100
    jmp    159
    mov    0x0(%rip),%rax        # 13c
      PC32	get_map_element_of-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    pop    %r14
    jmp    *%rax
    cmp    %r9,-0x1(%rax)
    jne    159
    dec    %rax
    add    $0x8,%rax
    jmp    8a
    pop    %rbx
    pop    %r14
    jmp    161
      PLT32	TARGET_3-0x4

GetPosition:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1f
      PLT32	CONT-0x4

GetRecordElement:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    56
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x3c,%r9d
    jne    56
    mov    0x6(%rax),%r9
    mov    -0x2(%r9),%r10
    shr    $0x6,%r10
    lea    0x6(,%r10,8),%r10
    cmp    $0x1f,%r10
    jb     56
    mov    $0x1e,%r11d
    nopw   0x0(%rax,%rax,1)
    mov    (%r9,%r11,1),%rbx
    cmp    $0x0,%rbx
      32S	HOLE_2
    je     5c
    add    $0x8,%r11
    cmp    %r10,%r11
    jb     40
    pop    %rbx
    jmp    5c
      PLT32	TARGET_3-0x4
    mov    -0x10(%rax,%r11,1),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    pop    %rbx
    jmp    6e
      PLT32	CONT-0x4

GetRest:
    lea    0x48(%rdx),%rax
    cmp    %rsi,%rax
    ja     33
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0xe(%r10),%r9
    mov    0x16(%r10),%rax
    mov    %eax,%r11d
    or     %r9d,%r11d
    test   $0x7,%r11b
    jne    33
    mov    %rax,%r11
    sub    %r9,%r11
    cmp    $0x201,%r11
    jae    42
    mov    0x0(%rip),%rax        # 3a
      PC32	get_binary-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %rax,0xe(%r10)
    lea    0x28(%rdx),%rax
    movq   $0x128,(%rdx)
    mov    0x1e(%r10),%r10
    mov    %r10,0x20(%rdx)
    shr    $0x3,%r11
    mov    %r11,0x8(%rdx)
    shr    $0x3,%r9
    mov    %r9,0x10(%rdx)
    movq   $0x0,0x18(%rdx)
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    84
      PLT32	CONT-0x4

GetSigned:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c
      PLT32	TARGET_3-0x4
    mov    %rax,0xe(%r9)
    mov    0x6(%r9),%r9
    lea    0x0(%r10),%r10
      32S	HOLE_7+0x7
    shr    $0x3,%r10
    mov    -0x8(%r9,%r10,1),%r10
    bswap  %r10
    neg    %al
    and    $0x7,%al
    mov    %rcx,%r9
    mov    %eax,%ecx
    shr    %cl,%r10
    and    0x0(%rip),%r10        # 4a
      PC32	RECORD+0x44
    mov    0x0(%rip),%rax        # 51
      PC32	RECORD+0x4c
    xor    %rax,%r10
    sub    %rax,%r10
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    6e
      PLT32	CONT-0x4

GetTail:
    lea    0x48(%rdx),%rax
    cmp    %rsi,%rax
    ja     28
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0xe(%r10),%rax
    mov    0x16(%r10),%r9
    sub    %rax,%r9
    mov    %r9,%r11
    rol    $0x3d,%r11
    cmp    $0x41,%r11
    jae    37
    mov    0x0(%rip),%rax        # 2f
      PC32	get_tail-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movq   $0x128,(%rdx)
    mov    0x1e(%r10),%r10
    mov    %r10,0x20(%rdx)
    mov    %r9,%r10
    shr    $0x3,%r10
    mov    %r10,0x8(%rdx)
    mov    %rax,%r10
    shr    $0x3,%r10
    mov    %r10,0x10(%rdx)
    movq   $0x0,0x18(%rdx)
    lea    0x2(%rdx),%r10
    and    $0x7,%r9b
    mov    %r9b,0x18(%rdx)
    and    $0x7,%al
    mov    %al,0x19(%rdx)
    add    $0x28,%rdx
    mov    %r10,0x0(%rdi)
      32S	HOLE_1
    jmp    85
      PLT32	CONT-0x4

GetTl:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x7(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    17
      PLT32	CONT-0x4

GetTupleElement:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rax),%rax
      32S	HOLE_2
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1a
      PLT32	CONT-0x4

GetTupleElement2:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rax),%r9
      32S	HOLE_3
    mov    0x0(%rax),%rax
      32S	HOLE_4
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    28
      PLT32	CONT-0x4

GetUnsigned:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c
      PLT32	TARGET_3-0x4
    mov    %rax,0xe(%r9)
    mov    0x6(%r9),%r9
    lea    0x0(%r10),%r10
      32S	HOLE_7+0x7
    shr    $0x3,%r10
    mov    -0x8(%r9,%r10,1),%r10
    bswap  %r10
    neg    %al
    and    $0x7,%al
    mov    %rcx,%r9
    mov    %eax,%ecx
    shr    %cl,%r10
    and    0x0(%rip),%r10        # 4a
      PC32	RECORD+0x44
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    61
      PLT32	CONT-0x4

GetUtf8:
    push   %r15
    push   %r14
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r11
    sub    %r9,%r11
    cmp    $0x8,%r11
    setb   %r10b
    test   $0x7,%r9b
    setne  %bl
    or     %r10b,%bl
    jne    67
    mov    0x6(%rax),%rbx
    mov    %r9,%r14
    shr    $0x3,%r14
    movzbl (%rbx,%r14,1),%r10d
    test   %r10b,%r10b
    js     61
    add    $0x8,%r9
    mov    %r9,0xe(%rax)
    shl    $0x4,%r10d
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_1
    pop    %rbx
    pop    %r14
    pop    %r15
    jmp    61
      PLT32	CONT-0x4
    cmp    $0x18,%r11
    jae    7b
    mov    0x0(%rip),%rax        # 6e
      PC32	get_utf8-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    pop    %r14
    pop    %r15
    jmp    *%rax
    cmp    $0xc2,%r10b
    jb     67
    movzbl 0x1(%rbx,%r14,1),%r15d
    xor    $0x80,%r15
    cmp    $0x3f,%r15b
    ja     67
    mov    %r10d,%r11d
    shl    $0x6,%r11d
    or     %r15,%r11
    cmp    $0xe0,%r10b
    jae    b8
    add    $0x10,%r9
    mov    %r9,0xe(%rax)
    and    $0x7ff,%r11d
    mov    %r11,%r10
    jmp    48
    cmp    $0x3820,%r11d
    jb     67
    cmp    $0xef,%r10b
    ja     67
    movzbl 0x2(%rbx,%r14,1),%ebx
    xor    $0x80,%rbx
    cmp    $0x3f,%bl
    ja     67
    mov    %r11d,%r10d
    and    $0xffffffe0,%r10d
    cmp    $0x3b60,%r10d
    je     67
    add    $0x18,%r9
    mov    %r9,0xe(%rax)
    shl    $0x6,%r11d
    movzwl %r11w,%r10d
    or     %rbx,%r10
    jmp    48

Greater:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $true,%eax
    mov    $false,%r9d
    cmovg  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

GreaterOrEqual:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $false,%eax
    mov    $true,%r9d
    cmovl  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

HasMapField:
    push   %rbx
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    $0x1,%r10d
    test   $0x1,%r9b
    jne    1f
    mov    -0x2(%r9),%r10
    mov    %eax,%r11d
    not    %r11d
    test   $0x3,%r11b
    jne    117
    movabs $0xc00000003f,%r11
    and    %r10,%r11
    movabs $0x400000002c,%rbx
    cmp    %rbx,%r11
    je     7c
    cmp    $0x2c,%r11
    jne    117
    mov    0x6(%r9),%r10
    mov    0xe(%r9),%r9
    xor    %r11d,%r11d
    cmp    %r11,%r10
    je     131
    mov    0x6(%r9,%r11,8),%rbx
    inc    %r11
    cmp    %rax,%rbx
    jne    60
    pop    %rbx
    jmp    7c
      PLT32	CONT-0x4
    cmpb   $0x1,0x40(%r8)
    jne    117
    mov    %rax,%r11
    shr    $0x21,%r11
    xor    %rax,%r11
    movabs $0xff51afd7ed558ccd,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    movabs $0xc4ceb9fe1a85ec53,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jae    131
    mov    %r11d,%ebx
    and    $0xf,%ebx
    add    $0xe,%r9
    nopl   0x0(%rax,%rax,1)
    bzhi   %ebx,%r10d,%r10d
    popcnt %r10d,%r10d
    mov    (%r9,%r10,8),%r9
    test   $0x2,%r9b
    je     127
    shr    $0x4,%r11d
    je     117
    add    $0xfffffffffffffffe,%r9
    mov    (%r9),%r10
    add    $0x8,%r9
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jb     e0
    jmp    131
    mov    0x0(%rip),%rax        # 11e
      PC32	has_map_field-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    cmp    %rax,-0x1(%r9)
    je     76
    pop    %rbx
    jmp    137
      PLT32	TARGET_2-0x4

Head:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x2,%al
    jne    1b
    mov    -0x1(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1b
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 22
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

InitY:
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    jmp    10
      PLT32	CONT-0x4

InitY2:
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    1b
      PLT32	CONT-0x4

IntegerDivide:
    sar    $0x4,%r9
    lea    -0x1(%r9),%rax
    cmp    $0xfffffffffffffffe,%rax
    jae    2f
    mov    %rdx,%r10
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    sar    $0x4,%rax
    mov    %rax,%rdx
    or     %r9,%rdx
    shr    $0x20,%rdx
    je     3e
    cqto
    idiv   %r9
    jmp    43
    mov    0x0(%rip),%rax        # 36
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    xor    %edx,%edx
    div    %r9d
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    mov    %r10,%rdx
    mov    %rax,%r9
    jmp    5d
      PLT32	PASS-0x4

IsAnyNativeRecord:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x3c,%eax
    je     1e
      PLT32	CONT-0x4
    jmp    23
      PLT32	TARGET_1-0x4

IsAtom:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    and    $0x3f,%eax
    cmp    $0xb,%eax
    jne    12
      PLT32	TARGET_1-0x4
    jmp    17
      PLT32	CONT-0x4

IsBinary:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x20,%r9
    je     21
      PLT32	CONT-0x4
    cmp    $0x28,%r9d
    je     36
    cmp    $0x24,%r9d
    jne    31
      PLT32	TARGET_1-0x4
    jmp    36
      PLT32	CONT-0x4
    cmpb   $0x0,0x16(%rax)
    je     40
      PLT32	CONT-0x4
    jmp    45
      PLT32	TARGET_1-0x4

IsBitstring:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0x702,%r9d
    bt     %eax,%r9d
    jb     2c
      PLT32	CONT-0x4
    jmp    31
      PLT32	TARGET_1-0x4

IsBoxed:
    testb  $0x1,0x0(%rdi)
      32S	HOLE_0
    jne    d
      PLT32	TARGET_1-0x4
    jmp    12
      PLT32	CONT-0x4

IsEq:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    cmp    %r9,%rax
    je     17
      PLT32	CONT-0x4
    and    %r9d,%eax
    not    %eax
    test   $0x3,%al
    je     24
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 2b
      PC32	is_eq-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsEqExact:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    cmp    %rax,%r9
    je     17
      PLT32	CONT-0x4
    mov    %r9d,%r10d
    not    %r10d
    test   $0x3,%r10b
    je     27
      PLT32	TARGET_2-0x4
    xor    %r9d,%eax
    test   $0x3,%al
    jne    32
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 39
      PC32	is_eq_exact-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsEqImmediate:
    cmpq   $0x0,0x0(%rdi)
      32S	HOLE_0
      32S	HOLE_1
    jne    11
      PLT32	TARGET_2-0x4
    jmp    16
      PLT32	CONT-0x4

IsFloat:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x18,%eax
    je     1e
      PLT32	CONT-0x4
    jmp    23
      PLT32	TARGET_1-0x4

IsFunction:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0xa0,%r9d
    bt     %eax,%r9d
    jb     2c
      PLT32	CONT-0x4
    jmp    31
      PLT32	TARGET_1-0x4

IsFunctionOfArity:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_2-0x4
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x14,%r9
    je     30
    cmp    $0x1c,%r9d
    jne    27
      PLT32	TARGET_2-0x4
    mov    0x6(%rax),%rax
    mov    0x10(%rax),%eax
    jmp    34
    movzbl 0xe(%rax),%eax
    cmp    $0x0,%rax
      32S	HOLE_1
    jne    40
      PLT32	TARGET_2-0x4
    jmp    45
      PLT32	CONT-0x4

IsGe:
    cmp    $0x0,%r9
      32S	HOLE_0
    jg     d
      PLT32	TARGET_2-0x4
    jmp    12
      PLT32	CONT-0x4

IsInteger:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    je     17
      PLT32	CONT-0x4
    test   $0x1,%al
    jne    1f
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0xc,%r9d
    bt     %eax,%r9d
    jb     3c
      PLT32	CONT-0x4
    jmp    41
      PLT32	TARGET_1-0x4

IsList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    $0x3b,%rax
    je     11
      PLT32	CONT-0x4
    and    $0x2,%eax
    jne    1a
      PLT32	TARGET_1-0x4
    jmp    1f
      PLT32	CONT-0x4

IsLt:
    cmp    $0x0,%r9
      32S	HOLE_0
    jle    d
      PLT32	TARGET_2-0x4
    jmp    12
      PLT32	CONT-0x4

IsMap:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x2c,%eax
    je     1e
      PLT32	CONT-0x4
    jmp    23
      PLT32	TARGET_1-0x4

IsMapKey:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    $0x1,%r10d
    test   $0x1,%r9b
    jne    1f
    mov    -0x2(%r9),%r10
    mov    %eax,%r11d
    not    %r11d
    test   $0x3,%r11b
    jne    127
    movabs $0xc00000003f,%r11
    and    %r10,%r11
    movabs $0x400000002c,%rbx
    cmp    %rbx,%r11
    je     89
    cmp    $0x2c,%r11
    jne    127
    mov    0x6(%r9),%r10
    mov    0xe(%r9),%r9
    xor    %r11d,%r11d
    cmp    %r11,%r10
    je     147
    mov    0x6(%r9,%r11,8),%rbx
    inc    %r11
    cmp    %rax,%rbx
    jne    60
    mov    $true,%r10d
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    pop    %rbx
    jmp    89
      PLT32	CONT-0x4
    cmpb   $0x1,0x40(%r8)
    jne    127
    mov    %rax,%r11
    shr    $0x21,%r11
    xor    %rax,%r11
    movabs $0xff51afd7ed558ccd,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    movabs $0xc4ceb9fe1a85ec53,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jae    147
    mov    %r11d,%ebx
    and    $0xf,%ebx
    add    $0xe,%r9
    nopl   0x0(%rax,%rax,1)
    bzhi   %ebx,%r10d,%r10d
    popcnt %r10d,%r10d
    mov    (%r9,%r10,8),%r9
    test   $0x2,%r9b
    je     137
    shr    $0x4,%r11d
    je     127
    add    $0xfffffffffffffffe,%r9
    mov    (%r9),%r10
    add    $0x8,%r9
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jb     f0
    jmp    147
    mov    0x0(%rip),%rax        # 12e
      PC32	is_map_key-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    mov    $true,%r10d
    cmp    %rax,-0x1(%r9)
    je     7c
    mov    $false,%r10d
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    pop    %rbx
    jmp    15a
      PLT32	CONT-0x4

IsNativeRecord:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_3-0x4
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x3c,%r9d
    jne    21
      PLT32	TARGET_3-0x4
    mov    0x6(%rax),%rax
    cmpq   $0x0,0x6(%rax)
      32S	HOLE_1
    jne    33
      PLT32	TARGET_3-0x4
    cmpq   $0x0,0xe(%rax)
      32S	HOLE_2
    jne    41
      PLT32	TARGET_3-0x4
    jmp    46
      PLT32	CONT-0x4

IsNeExact:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    cmp    %rax,%r9
    je     17
      PLT32	TARGET_2-0x4
    mov    %r9d,%r10d
    not    %r10d
    test   $0x3,%r10b
    je     27
      PLT32	CONT-0x4
    xor    %r9d,%eax
    test   $0x3,%al
    je     33
    jmp    33
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 3a
      PC32	is_ne_exact-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsNeImmediate:
    cmpq   $0x0,0x0(%rdi)
      32S	HOLE_0
      32S	HOLE_1
    je     11
      PLT32	TARGET_2-0x4
    jmp    16
      PLT32	CONT-0x4

IsNil:
    cmpq   $0x3b,0x0(%rdi)
      32S	HOLE_0
    jne    e
      PLT32	TARGET_1-0x4
    jmp    13
      PLT32	CONT-0x4

IsNonemptyList:
    testb  $0x2,0x0(%rdi)
      32S	HOLE_0
    jne    d
      PLT32	TARGET_1-0x4
    jmp    12
      PLT32	CONT-0x4

IsNonemptyListGetList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x2,%al
    jne    f
      PLT32	TARGET_3-0x4
    mov    -0x1(%rax),%r9
    mov    0x7(%rax),%rax
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    2a
      PLT32	CONT-0x4

IsNumber:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    je     17
      PLT32	CONT-0x4
    test   $0x1,%al
    jne    1f
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0x4c,%r9d
    bt     %eax,%r9d
    jb     3c
      PLT32	CONT-0x4
    jmp    41
      PLT32	TARGET_1-0x4

IsPid:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0xf,%r9d
    cmp    $0x3,%r9d
    je     18
      PLT32	CONT-0x4
    test   $0x1,%al
    jne    20
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x30,%eax
    je     2f
      PLT32	CONT-0x4
    jmp    34
      PLT32	TARGET_1-0x4

IsRecordAccessible:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_2-0x4
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x3c,%r9d
    jne    21
      PLT32	TARGET_2-0x4
    mov    0x6(%rax),%rax
    cmpq   $true,0x16(%rax)
    je     33
      PLT32	CONT-0x4
    cmpq   $0x0,0x6(%rax)
      32S	HOLE_1
    je     41
      PLT32	CONT-0x4
    jmp    46
      PLT32	TARGET_2-0x4

IsSmall:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    not    %eax
    test   $0xf,%al
    jne    10
      PLT32	TARGET_1-0x4
    jmp    15
      PLT32	CONT-0x4

IsTaggedTuple:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_3-0x4
    cmpq   $0x0,-0x2(%rax)
      32S	HOLE_1
    jne    1d
      PLT32	TARGET_3-0x4
    cmpq   $0x0,0x6(%rax)
      32S	HOLE_2
    jne    2b
      PLT32	TARGET_3-0x4
    jmp    30
      PLT32	CONT-0x4

IsTuple:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_1-0x4
    testb  $0x3f,-0x2(%rax)
    je     19
      PLT32	CONT-0x4
    jmp    1e
      PLT32	TARGET_1-0x4

Jump:
    jmp    5
      PLT32	TARGET_0-0x4

JumpTable:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    sub    0x0(%rip),%rax        # e
      PC32	RECORD+0x14
    rol    $0x3c,%rax
    cmp    $0x0,%rax
      32S	HOLE_3
    jae    1e
      PLT32	TARGET_1-0x4
    mov    0x0(,%rax,8),%rax
      32S	RECORD+0x28
    jmp    *%rax

Length:
    lea    0x0(%rdi),%r9
      32S	HOLE_0
    mov    $0x3f,%eax
    nopl   0x0(%rax)
    mov    (%r9),%r9
    test   $0x2,%r9b
    jne    49
    mov    0x7(%r9),%r9
    test   $0x2,%r9b
    jne    55
    mov    0x7(%r9),%r9
    test   $0x2,%r9b
    jne    6b
    mov    0x7(%r9),%r9
    test   $0x2,%r9b
    jne    59
    add    $0x7,%r9
    add    $0x40,%rax
    cmp    $0x103f,%rax
    jne    10
    jmp    75
    add    $0xffffffffffffffd0,%rax
    cmp    $0x3b,%r9
    je     5f
    jmp    75
    add    $0xffffffffffffffe0,%rax
    cmp    $0x3b,%r9
    jne    75
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    6b
      PLT32	CONT-0x4
    add    $0xfffffffffffffff0,%rax
    cmp    $0x3b,%r9
    je     5f
    mov    0x0(%rip),%rax        # 7c
      PC32	length-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Less:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $true,%eax
    mov    $false,%r9d
    cmovl  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

LessFloats:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    movsd  0x0(%rip),%xmm0        # f
      PC32	HOLE_1+0x2
    ucomisd 0x6(%rax),%xmm0
    ja     1a
      PLT32	CONT-0x4
    jmp    1f
      PLT32	TARGET_2-0x4

LessOrEqual:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $false,%eax
    mov    $true,%r9d
    cmovg  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

LineBreakpoint:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    movzbl (%rax),%eax
    test   %al,%al
    je     1d
    mov    0x0(%rip),%rax        # 15
      PC32	stop_at_line-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    jmp    22
      PLT32	CONT-0x4

LoopRec:
    mov    (%r8),%r9
    mov    0x18(%r9),%rax
    mov    (%rax),%rax
    test   %rax,%rax
    je     19
    testb  $0xc,0xa6(%r9)
    je     28
    mov    0x0(%rip),%rax        # 20
      PC32	loop_rec-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x10(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_0
    jmp    38
      PLT32	CONT-0x4

LoopRecEnd:
    mov    (%r8),%rax
    mov    0x18(%rax),%r9
    mov    (%r9),%r9
    mov    %r9,0x18(%rax)
    dec    %rcx
    js     18
    jmp    18
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 1f
      PC32	yield_at_label-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

MapGet:
    push   %r14
    push   %rbx
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    $0x1,%r10d
    test   $0x1,%al
    jne    1f
    mov    -0x2(%rax),%r10
    mov    %r9d,%r11d
    not    %r11d
    test   $0x3,%r11b
    jne    147
    movabs $0xc00000003f,%r11
    and    %r10,%r11
    movabs $0x400000002c,%rbx
    cmp    %rbx,%r11
    je     9c
    cmp    $0x2c,%r11
    jne    147
    mov    0x6(%rax),%r10
    mov    0xe(%rax),%r11
    add    $0xe,%rax
    xor    %ebx,%ebx
    data16 data16 data16 cs nopw 0x0(%rax,%rax,1)
    cmp    %rbx,%r10
    je     147
    mov    0x6(%r11,%rbx,8),%r14
    inc    %rbx
    add    $0x8,%rax
    cmp    %r9,%r14
    jne    70
    mov    (%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    pop    %rbx
    pop    %r14
    jmp    9c
      PLT32	CONT-0x4
    cmpb   $0x1,0x40(%r8)
    jne    147
    mov    %r9,%r11
    shr    $0x21,%r11
    xor    %r9,%r11
    movabs $0xff51afd7ed558ccd,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    movabs $0xc4ceb9fe1a85ec53,%rbx
    imul   %r11,%rbx
    mov    %rbx,%r11
    shr    $0x21,%r11
    xor    %rbx,%r11
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jae    147
    mov    %r11d,%ebx
    and    $0xf,%ebx
    add    $0xe,%rax
    nopl   0x0(%rax,%rax,1)
    bzhi   %ebx,%r10d,%r10d
    popcnt %r10d,%r10d
    mov    (%rax,%r10,8),%rax
    test   $0x2,%al
    je     135
    shr    $0x4,%r11d
    je     147
    add    $0xfffffffffffffffe,%rax
    mov    (%rax),%r10
    add    $0x8,%rax
    shr    $0x28,%r10
    mov    %r11d,%ebx
    and    $0xf,%ebx
    bt     %ebx,%r10d
    jb     100
    jmp    147
    cmp    %r9,-0x1(%rax)
    jne    147
    dec    %rax
    add    $0x8,%rax
    jmp    8a
    mov    0x0(%rip),%rax        # 14e
      PC32	map_get-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    pop    %r14
    jmp    *%rax

MapSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    31
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x2c,%r9d
    jne    31
    mov    0x6(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    31
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 38
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Mark:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    movb   $0x1,(%rax)
    jmp    f
      PLT32	CONT-0x4

MatchBits:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r11
    lea    0x0(%r11),%r10
      32S	HOLE_2
    cmp    0x16(%r9),%r10
    ja     1c
      PLT32	TARGET_1-0x4
    mov    %rcx,%rax
    mov    0x6(%r9),%rcx
    lea    0x0(%r11),%r11
      32S	HOLE_2+0x7
    shr    $0x3,%r11
    mov    -0x8(%rcx,%r11,1),%r11
    bswap  %r11
    mov    %r10d,%ecx
    neg    %cl
    and    $0x7,%cl
    shr    %cl,%r11
    and    0x0(%rip),%r11        # 48
      PC32	RECORD+0x1c
    cmp    0x0(%rip),%r11        # 4f
      PC32	RECORD+0x24
    jne    5d
    mov    %r10,0xe(%r9)
    mov    %rax,%rcx
    jmp    5d
      PLT32	CONT-0x4
    mov    %rax,%rcx
    jmp    65
      PLT32	TARGET_1-0x4

Max:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    %rax,%r9
    cmovle %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    1a
      PLT32	PASS-0x4

Min:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    %rax,%r9
    cmovge %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    1a
      PLT32	PASS-0x4

Move:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    jmp    10
      PLT32	CONT-0x4

Move2:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    mov    0x0(%rdi),%rax
      32S	HOLE_2
    mov    %rax,0x0(%rdi)
      32S	HOLE_3
    jmp    21
      PLT32	CONT-0x4

Move2XY:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    mov    0x0(%rdi),%rax
      32S	HOLE_2
    mov    %rax,0x0(%rsi)
      32S	HOLE_3-0x4
    jmp    21
      PLT32	CONT-0x4

Move2YX:
    mov    0x0(%rsi),%rax
      32S	HOLE_0-0x4
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    mov    0x0(%rsi),%rax
      32S	HOLE_2-0x4
    mov    %rax,0x0(%rdi)
      32S	HOLE_3
    jmp    21
      PLT32	CONT-0x4

MoveCall:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x20
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     21
    jmp    21
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 28
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    jmp    *%rax

MoveCallLast:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    lea    0x0(%rsi),%rsi
      32S	HOLE_3
    dec    %rcx
    js     1c
    jmp    1c
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 23
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    jmp    *%rax

MoveCallOnly:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    dec    %rcx
    js     15
    jmp    15
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 1c
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    jmp    *%rax

MoveCallWithin:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    movq   $0x0,-0x8(%rsi)
      32S	HOLE_3
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     21
    jmp    21
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 28
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    jmp    *%rax

MoveDeallocateReturn:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    mov    0x0(%rsi),%r9
      32S	HOLE_2
    lea    0x0(%rsi),%rsi
      32S	HOLE_2+0x8
    mov    (%r9),%rax
    jmp    *%rax

MoveReturn:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    mov    (%rsi),%r9
    add    $0x8,%rsi
    mov    (%r9),%rax
    jmp    *%rax

Multiply:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    add    $0xfffffffffffffff1,%rax
    sar    $0x4,%r9
    imul   %rax,%r9
    jno    24
    mov    0x0(%rip),%rax        # 1c
      PC32	multiply-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    34
      PLT32	PASS-0x4

MultiplyAddMasked:
    add    $0xfffffffffffffff1,%r9
    imul   0x0(%rip),%r9        # c
      PC32	RECORD+0x1c
    lea    0x0(%r9),%rax
      32S	HOLE_1-0xf
    and    0x0(%rip),%rax        # 1a
      PC32	RECORD+0x24
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    2a
      PLT32	TARGET_5-0x4

MultiplyConstant:
    mov    %r9,%rax
    add    $0xfffffffffffffff1,%rax
    mov    $0x0,%r9d
      32	HOLE_6
    imul   %rax,%r9
    jno    22
    mov    0x0(%rip),%rax        # 1a
      PC32	multiply_constant-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    32
      PLT32	PASS-0x4

MultiplyFloats:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    movsd  0x6(%rax),%xmm0
    mulsd  0x0(%rip),%xmm0        # 14
      PC32	HOLE_1+0x2
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jge    3e
    lea    0x30(%rdx),%rax
    cmp    %rsi,%rax
    jbe    4d
    mov    0x0(%rip),%rax        # 45
      PC32	multiply-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movq   $0x58,(%rdx)
    movsd  %xmm0,0x8(%rdx)
    lea    0x10(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    70
      PLT32	CONT-0x4

MultiplyMasked:
    add    $0xfffffffffffffff1,%r9
    mov    $0x0,%eax
      32	HOLE_1
    sar    $0x4,%rax
    imul   %r9,%rax
    and    0x0(%rip),%rax        # 18
      PC32	RECORD+0x1c
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    28
      PLT32	TARGET_4-0x4

Negate:
    movabs $0x800000000000000f,%rax
    cmp    %rax,%r9
    jg     1e
    mov    0x0(%rip),%rax        # 16
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    and    $0xfffffffffffffff0,%r9
    mov    $0xf,%eax
    sub    %r9,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%r9
    jmp    39
      PLT32	PASS-0x4

Not:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    cmp    $false,%r9
    je     2d
    mov    $false,%eax
    cmp    $true,%r9
    je     32
    mov    0x0(%rip),%rax        # 25
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $true,%eax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    3e
      PLT32	CONT-0x4

NotEqual:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $false,%eax
    mov    $true,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotEqualExact:
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    $false,%eax
    cmp    %r9,%r10
    je     32
    mov    %r10d,%r11d
    not    %r11d
    mov    $true,%eax
    test   $0x3,%r11b
    je     32
    xor    %r10d,%r9d
    test   $0x3,%r9b
    je     3e
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    3e
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 45
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotLessFloats:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    movsd  0x0(%rip),%xmm0        # f
      PC32	HOLE_1+0x2
    ucomisd 0x6(%rax),%xmm0
    ja     1a
      PLT32	TARGET_2-0x4
    jmp    1f
      PLT32	CONT-0x4

OpenWindow:
    mov    %rcx,%rax
    mov    0x0(%rdi),%rcx
      32S	HOLE_0
    mov    0x6(%rcx),%r9
    mov    0xe(%rcx),%r10
    mov    $0x0,%ecx
      32	HOLE_1
    add    %r10d,%ecx
    lea    0x0(%r10),%r10
      32S	HOLE_1+0x7
    shr    $0x3,%r10
    mov    -0x8(%r9,%r10,1),%r9
    bswap  %r9
    neg    %cl
    and    $0x7,%cl
    shr    %cl,%r9
    mov    %r9,(%rdx)
    mov    %rax,%rcx
    jmp    40
      PLT32	CONT-0x4

Or:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    cmp    $false,%r9
    je     32
    cmp    $true,%r9
    jne    4e
    cmp    $false,%rax
    je     5d
    cmp    $true,%rax
    je     5d
    jmp    4e
    cmp    $true,%rax
    je     5d
    cmp    $false,%rax
    jne    4e
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    4e
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 55
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $true,%eax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    6e
      PLT32	CONT-0x4

PutBytes:
    push   %rbx
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    test   $0x1,%r9b
    jne    94
    mov    -0x2(%r9),%r11
    cmp    $0x128,%r11
    jne    43
    cmpw   $0x0,0x16(%r9)
    jne    94
    mov    0xe(%r9),%r10
    mov    0x1e(%r9),%rax
    mov    -0x2(%rax),%r11
    and    $0x3f,%r11d
    cmp    $0x20,%r11
    jne    53
    mov    0x26(%rax),%rax
    jmp    5d
    xor    %r10d,%r10d
    mov    %r9,%rax
    and    $0x3f,%r11d
    cmp    $0x20,%r11
    je     3d
    cmp    $0x24,%r11d
    jne    94
    add    $0xe,%rax
    mov    0x6(%r9),%r11
    mov    0x2058(%r8),%rbx
    lea    0x0(%rbx),%r9
      32S	HOLE_1
    add    %r11,%rbx
    add    $0x0,%rbx
      32S	HOLE_1
    mov    %rbx,0x2058(%r8)
    lea    (%r11,%r9,1),%rbx
    add    $0x0,%rbx
      32S	HOLE_2
    cmp    0x2060(%r8),%rbx
    jbe    9a
    pop    %rbx
    jmp    9a
      PLT32	TARGET_3-0x4
    cmp    $0x20,%r11
    jbe    b0
    mov    0x0(%rip),%rax        # a7
      PC32	bytes_segment-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    add    %r10,%rax
    cmp    $0xf,%r11
    jbe    d2
    movups (%rax),%xmm0
    movups %xmm0,(%r9)
    movups -0x10(%rax,%r11,1),%xmm0
    movups %xmm0,-0x10(%r9,%r11,1)
    pop    %rbx
    jmp    d2
      PLT32	CONT-0x4
    cmp    $0x7,%r11
    jbe    ee
    mov    (%rax),%r10
    mov    %r10,(%r9)
    mov    -0x8(%rax,%r11,1),%rax
    mov    %rax,-0x8(%r9,%r11,1)
    pop    %rbx
    jmp    ee
      PLT32	CONT-0x4
    cmp    $0x3,%r11
    jbe    10a
    mov    (%rax),%r10d
    mov    %r10d,(%r9)
    mov    -0x4(%rax,%r11,1),%eax
    mov    %eax,-0x4(%r9,%r11,1)
    pop    %rbx
    jmp    10a
      PLT32	CONT-0x4
    cmp    $0x1,%r11
    jbe    12a
    movzwl (%rax),%r10d
    mov    %r10w,(%r9)
    movzwl -0x2(%rax,%r11,1),%eax
    mov    %ax,-0x2(%r9,%r11,1)
    pop    %rbx
    jmp    12a
      PLT32	CONT-0x4
    jne    132
    movzbl (%rax),%eax
    mov    %al,(%r9)
    pop    %rbx
    jmp    138
      PLT32	CONT-0x4

PutConstant16:
    mov    0x2058(%r8),%rax
    mov    $0x0,%r9d
      32	HOLE_0
    mov    %r9w,0x0(%rax)
      32S	HOLE_1
    jmp    1a
      PLT32	CONT-0x4

PutConstant32:
    mov    0x2058(%r8),%rax
    mov    $0x0,%r9d
      32	HOLE_0
    mov    %r9d,0x0(%rax)
      32S	HOLE_1
    jmp    19
      PLT32	CONT-0x4

PutConstant64:
    mov    0x2058(%r8),%rax
    mov    0x0(%rip),%r9        # e
      PC32	RECORD+0x4
    mov    %r9,0x0(%rax)
      32S	HOLE_1
    jmp    1a
      PLT32	CONT-0x4

PutConstant8:
    mov    0x2058(%r8),%rax
    mov    $0x0,%r9d
      32	HOLE_0
    mov    %r9b,0x0(%rax)
      32S	HOLE_1
    jmp    19
      PLT32	CONT-0x4

PutElement:
    movq   $0x0,0x0(%rdx)
      32S	HOLE_1
      32S	HOLE_0
    jmp    10
      PLT32	CONT-0x4

PutFloat32:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    1d
    cmpq   $0x58,-0x2(%rax)
    jne    1d
    movsd  0x6(%rax),%xmm0
    cvtsd2ss %xmm0,%xmm0
    jmp    36
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2d
      PLT32	TARGET_2-0x4
    sar    $0x4,%rax
    cvtsi2ss %rax,%xmm0
    mov    0x2058(%r8),%rax
    movd   %xmm0,%r9d
    bswap  %r9d
    mov    %r9d,0x0(%rax)
      32S	HOLE_1
    jmp    51
      PLT32	CONT-0x4

PutFloat32Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    2f
    cmpq   $0x58,-0x2(%rax)
    jne    2f
    movsd  0x6(%rax),%xmm0
    cvtsd2ss %xmm0,%xmm0
    mov    0x2058(%r8),%rax
    movss  %xmm0,0x0(%rax)
      32S	HOLE_1
    jmp    2f
      PLT32	CONT-0x4
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3f
      PLT32	TARGET_2-0x4
    sar    $0x4,%rax
    cvtsi2ss %rax,%xmm0
    mov    0x2058(%r8),%rax
    movss  %xmm0,0x0(%rax)
      32S	HOLE_1
    jmp    5c
      PLT32	CONT-0x4

PutFloat64:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    2c
    cmpq   $0x58,-0x2(%rax)
    jne    2c
    mov    0x6(%rax),%rax
    mov    0x2058(%r8),%r9
    bswap  %rax
    mov    %rax,0x0(%r9)
      32S	HOLE_1
    jmp    2c
      PLT32	CONT-0x4
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3c
      PLT32	TARGET_2-0x4
    sar    $0x4,%rax
    cvtsi2sd %rax,%xmm0
    movq   %xmm0,%rax
    mov    0x2058(%r8),%r9
    bswap  %rax
    mov    %rax,0x0(%r9)
      32S	HOLE_1
    jmp    60
      PLT32	CONT-0x4

PutFloat64Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    2b
    cmpq   $0x58,-0x2(%rax)
    jne    2b
    movsd  0x6(%rax),%xmm0
    mov    0x2058(%r8),%rax
    movsd  %xmm0,0x0(%rax)
      32S	HOLE_1
    jmp    2b
      PLT32	CONT-0x4
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3b
      PLT32	TARGET_2-0x4
    sar    $0x4,%rax
    cvtsi2sd %rax,%xmm0
    mov    0x2058(%r8),%rax
    movsd  %xmm0,0x0(%rax)
      32S	HOLE_1
    jmp    58
      PLT32	CONT-0x4

PutHeader:
    movq   $0x0,0x0(%rdx)
      32S	HOLE_0
      32S	HOLE_1
    jmp    10
      PLT32	CONT-0x4

PutInteger16:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    mov    0x2058(%r8),%r9
    shr    $0x4,%eax
    rol    $0x8,%ax
    mov    %ax,0x0(%r9)
      32S	HOLE_1
    jmp    21
      PLT32	CONT-0x4

PutInteger16Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a
    mov    0x2058(%r8),%r9
    shr    $0x4,%eax
    mov    %ax,0x0(%r9)
      32S	HOLE_1
    jmp    2a
      PLT32	CONT-0x4
    jmp    2f
      PLT32	TARGET_2-0x4

PutInteger24:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    mov    0x2058(%r8),%r9
    mov    %eax,%r10d
    shr    $0xc,%eax
    rol    $0x8,%ax
    shr    $0x4,%r10d
    mov    %ax,0x0(%r9)
      32S	HOLE_1
    mov    %r10b,0x0(%r9)
      32S	HOLE_1+0x2
    jmp    2f
      PLT32	CONT-0x4

PutInteger24Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    38
    mov    0x2058(%r8),%r9
    mov    %eax,%r10d
    shr    $0x4,%r10d
    mov    %r10w,0x0(%r9)
      32S	HOLE_1
    shr    $0x14,%eax
    mov    %al,0x0(%r9)
      32S	HOLE_1+0x2
    jmp    38
      PLT32	CONT-0x4
    jmp    3d
      PLT32	TARGET_2-0x4

PutInteger32:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x2058(%r8),%r9
    shr    $0x4,%rax
    bswap  %eax
    mov    %eax,0x0(%r9)
      32S	HOLE_1
    jmp    20
      PLT32	CONT-0x4

PutInteger32Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a
    mov    0x2058(%r8),%r9
    shr    $0x4,%rax
    mov    %eax,0x0(%r9)
      32S	HOLE_1
    jmp    2a
      PLT32	CONT-0x4
    jmp    2f
      PLT32	TARGET_2-0x4

PutInteger64:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2d
    mov    0x2058(%r8),%r9
    sar    $0x4,%rax
    bswap  %rax
    mov    %rax,0x0(%r9)
      32S	HOLE_1
    jmp    2d
      PLT32	CONT-0x4
    jmp    32
      PLT32	TARGET_2-0x4

PutInteger64Little:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a
    mov    0x2058(%r8),%r9
    sar    $0x4,%rax
    mov    %rax,0x0(%r9)
      32S	HOLE_1
    jmp    2a
      PLT32	CONT-0x4
    jmp    2f
      PLT32	TARGET_2-0x4

PutInteger8:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    mov    0x2058(%r8),%r9
    shr    $0x4,%eax
    mov    %al,0x0(%r9)
      32S	HOLE_1
    jmp    1c
      PLT32	CONT-0x4

PutList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,(%rdx)
    movq   $0x0,0x8(%rdx)
      32S	HOLE_1
    lea    0x10(%rdx),%rax
    inc    %rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    28
      PLT32	CONT-0x4

PutTuple2:
    movq   $0x80,(%rdx)
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,0x8(%rdx)
    movq   $0x0,0x10(%rdx)
      32S	HOLE_1
    lea    0x18(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    31
      PLT32	CONT-0x4

PutUtf8:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    setne  %r9b
    cmp    $0x80f,%rax
    setae  %r10b
    or     %r9b,%r10b
    je     33
    mov    0x0(%rip),%rax        # 2b
      PC32	utf8_segment-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x2058(%r8),%r9
    shr    $0x4,%eax
    mov    %al,0x0(%r9)
      32S	HOLE_1
    lea    0x0(%r9),%rax
      32S	HOLE_1+0x1
    mov    %rax,0x2058(%r8)
    jmp    57
      PLT32	CONT-0x4

ReadLittle:
    mov    %rcx,%rax
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x6(%r9),%r10
    mov    0xe(%r9),%r11
    lea    0x0(%r11),%rcx
      32S	HOLE_2
    mov    %rcx,0xe(%r9)
    lea    0x0(%r11),%r9
      32S	HOLE_2+0x7
    shr    $0x3,%r9
    mov    -0x8(%r10,%r9,1),%r9
    bswap  %r9
    neg    %cl
    and    $0x7,%cl
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 3f
      PC32	RECORD+0x1c
    imul   0x0(%rip),%r9        # 47
      PC32	RECORD+0x24
    bswap  %r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rcx
    jmp    61
      PLT32	CONT-0x4

ReadSigned:
    mov    %rcx,%rax
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x6(%r9),%r10
    mov    0xe(%r9),%r11
    lea    0x0(%r11),%rcx
      32S	HOLE_2
    mov    %rcx,0xe(%r9)
    lea    0x0(%r11),%r9
      32S	HOLE_2+0x7
    shr    $0x3,%r9
    mov    -0x8(%r10,%r9,1),%r9
    bswap  %r9
    neg    %cl
    and    $0x7,%cl
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 3f
      PC32	RECORD+0x1c
    mov    0x0(%rip),%rcx        # 46
      PC32	RECORD+0x24
    xor    %rcx,%r9
    sub    %rcx,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rcx
    jmp    63
      PLT32	CONT-0x4

ReadUnsigned:
    mov    %rcx,%rax
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x6(%r9),%r10
    mov    0xe(%r9),%r11
    lea    0x0(%r11),%rcx
      32S	HOLE_2
    mov    %rcx,0xe(%r9)
    lea    0x0(%r11),%r9
      32S	HOLE_2+0x7
    shr    $0x3,%r9
    mov    -0x8(%r10,%r9,1),%r9
    bswap  %r9
    neg    %cl
    and    $0x7,%cl
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 3f
      PC32	RECORD+0x1c
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rcx
    jmp    56
      PLT32	CONT-0x4

Remainder:
    sar    $0x4,%r9
    lea    -0x1(%r9),%rax
    cmp    $0xfffffffffffffffe,%rax
    jae    32
    mov    %rdx,%r10
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    sar    $0x4,%rax
    mov    %rax,%rdx
    or     %r9,%rdx
    shr    $0x20,%rdx
    je     41
    cqto
    idiv   %r9
    mov    %rdx,%r9
    jmp    49
    mov    0x0(%rip),%rax        # 39
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    xor    %edx,%edx
    div    %r9d
    mov    %edx,%r9d
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    mov    %r10,%rdx
    jmp    60
      PLT32	PASS-0x4

RemainderByConstant:
    push   %rbx
    mov    %rcx,%rbx
    mov    %rdx,%r10
    mov    %r9,%r11
    sar    $0x4,%r11
    mov    %r11,%rax
    imulq  0x0(%rip)        # 18
      PC32	RECORD+0x44
    mov    $0x0,%ecx
      32	HOLE_7
    sar    %cl,%rdx
    shr    $0x3f,%r9
    add    %rdx,%r9
    mov    $0x0,%eax
      32	HOLE_6
    imul   %r9,%rax
    sub    %rax,%r11
    shl    $0x4,%r11
    or     $0xf,%r11
    mov    %r11,0x0(%rdi)
      32S	HOLE_2
    mov    %r10,%rdx
    mov    %rbx,%rcx
    mov    %r11,%r9
    pop    %rbx
    jmp    51
      PLT32	PASS-0x4

RemainderByPower:
    mov    %r9,%rax
    sar    $0x3f,%rax
    mov    $0x0,%r10d
      32	HOLE_6
    and    %r10,%rax
    add    %rax,%r9
    or     $0xf,%r10
    and    %r10,%r9
    sub    %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    29
      PLT32	PASS-0x4

Return:
    mov    (%rsi),%r9
    add    $0x8,%rsi
    mov    (%r9),%rax
    jmp    *%rax

ReturnWithin:
    cmpq   $0x0,0x0(%rsi)
      32S	HOLE_0
      32S	HOLE_1
    jne    11
      PLT32	CONT-0x4
    lea    0x0(%rsi),%rsi
      32S	HOLE_0+0x8
    dec    %rcx
    jns    21
      PLT32	TARGET_1-0x4
    mov    0x0(%rip),%rax        # 28
      PC32	preempt_behind-0x4
    mov    $0x0,%r9d
      32	HOLE_1
    jmp    *%rax

SelectHeader:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmpq   $0x0,-0x2(%rax)
      32S	HOLE_1
    je     15
      PLT32	TARGET_2-0x4
    jmp    1a
      PLT32	CONT-0x4

SelectNode:
    cmpq   $0x0,0x0(%rdi)
      32S	HOLE_0
      32S	HOLE_1
    je     11
      PLT32	TARGET_2-0x4
    jl     17
      PLT32	TARGET_3-0x4
    jmp    1c
      PLT32	CONT-0x4

SelectTupleArity:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x1,%r9d
    test   $0x1,%al
    jne    15
    mov    -0x2(%rax),%r9
    mov    $0x0,%r10d
      32	HOLE_2
    cmp    $0x1,%r10
    adc    $0x0,%r10
    xor    %eax,%eax
    data16 cs nopw 0x0(%rax,%rax,1)
    cmp    %r9,0x0(,%rax,8)
      32S	RECORD+0x20
    je     45
    inc    %rax
    cmp    %rax,%r10
    jne    30
    mov    %r10,%rax
    cmp    $0x0,%rax
      32S	HOLE_2
    je     51
      PLT32	TARGET_1-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    shl    $0x3,%r9
    mov    0x0(%r9,%rax,8),%r9
      32S	RECORD+0x20
    mov    (%r9),%rax
    jmp    *%rax

SelectTupleArity2:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    $0x1,%eax
    test   $0x1,%r9b
    jne    16
    mov    -0x2(%r9),%rax
    cmp    $0x0,%rax
      32S	HOLE_2
    je     22
      PLT32	TARGET_3-0x4
    cmp    $0x0,%rax
      32S	HOLE_4
    je     2e
      PLT32	TARGET_5-0x4
    jmp    33
      PLT32	TARGET_1-0x4

SelectValue:
    push   %rbx
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    $0x0,%r10d
      32	HOLE_2
    xor    %eax,%eax
    cmp    $0x2,%r10
    jae    49
    cmp    %r9,0x0(,%rax,8)
      32S	RECORD+0x20
    setne  %r9b
    cmp    $0x0,%rax
      32S	HOLE_2
    sete   %r10b
    or     %r9b,%r10b
    je     62
    pop    %rbx
    jmp    37
      PLT32	TARGET_1-0x4
    nopw   0x0(%rax,%rax,1)
    sub    %r11,%r10
    cmp    $0x1,%r10
    jbe    16
    mov    %r10,%r11
    shr    %r11
    lea    (%rax,%r11,1),%rbx
    cmp    %r9,0x0(,%rbx,8)
      32S	RECORD+0x20
    jg     40
    mov    %rbx,%rax
    jmp    40
    lea    0x0(,%rax,8),%rax
      32S	RECORD+0x20
    mov    $0x0,%r9d
      32	HOLE_2
    mov    (%rax,%r9,8),%r9
    mov    (%r9),%rax
    pop    %rbx
    jmp    *%rax

SelectValue2:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    $0x0,%rax
      32S	HOLE_2
    je     13
      PLT32	TARGET_3-0x4
    cmp    $0x0,%rax
      32S	HOLE_4
    je     1f
      PLT32	TARGET_5-0x4
    jmp    24
      PLT32	TARGET_1-0x4

SelfPid:
    mov    (%r8),%rax
    mov    0x28(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_0
    jmp    13
      PLT32	CONT-0x4

SetElement:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    mov    0x28(%rax),%r9
    cmp    0x20(%rax),%r9
    jne    68
    mov    0x8(%rdi),%rax
    test   $0x1,%al
    jne    68
    mov    (%rdi),%r10
    mov    %r10d,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    68
    mov    -0x2(%rax),%r9
    mov    %r9d,%r11d
    and    $0x3f,%r11d
    jne    68
    sar    $0x4,%r10
    dec    %r10
    mov    %r9,%r11
    shr    $0x6,%r11
    cmp    %r11,%r10
    jae    68
    shr    $0x3,%r9
    lea    (%rdx,%r9,1),%r10
    add    $0x28,%r10
    cmp    %rsi,%r10
    jbe    77
    mov    0x0(%rip),%rax        # 60
      PC32	room_to_set_element-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x0(%rip),%rax        # 6f
      PC32	call_bif-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %r9,%r10
    nopw   0x0(%rax,%rax,1)
    mov    -0x2(%rax,%r10,1),%r11
    mov    %r11,(%rdx,%r10,1)
    add    $0xfffffffffffffff8,%r10
    cmp    $0xfffffffffffffff8,%r10
    jne    80
    dec    %rcx
    mov    (%rdi),%rax
    mov    0x10(%rdi),%r10
    sar    $0x4,%rax
    mov    %r10,(%rdx,%rax,8)
    lea    (%rdx,%r9,1),%rax
    add    $0x8,%rax
    add    $0x2,%rdx
    mov    %rdx,(%rdi)
    mov    %rax,%rdx
    jmp    bc
      PLT32	CONT-0x4

SetElementOnly:
    mov    0x0(%rip),%rax        # 7
      PC32	RECORD+0x4
    mov    0x28(%rax),%r9
    cmp    0x20(%rax),%r9
    jne    68
    mov    0x8(%rdi),%rax
    test   $0x1,%al
    jne    68
    mov    (%rdi),%r10
    mov    %r10d,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    68
    mov    -0x2(%rax),%r9
    mov    %r9d,%r11d
    and    $0x3f,%r11d
    jne    68
    sar    $0x4,%r10
    dec    %r10
    mov    %r9,%r11
    shr    $0x6,%r11
    cmp    %r11,%r10
    jae    68
    shr    $0x3,%r9
    lea    (%rdx,%r9,1),%r10
    add    $0x28,%r10
    cmp    %rsi,%r10
    jbe    77
    mov    0x0(%rip),%rax        # 60
      PC32	room_to_set_element-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x0(%rip),%rax        # 6f
      PC32	call_bif_only-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %r9,%r10
    nopw   0x0(%rax,%rax,1)
    mov    -0x2(%rax,%r10,1),%r11
    mov    %r11,(%rdx,%r10,1)
    add    $0xfffffffffffffff8,%r10
    cmp    $0xfffffffffffffff8,%r10
    jne    80
    dec    %rcx
    mov    (%rdi),%rax
    mov    0x10(%rdi),%r10
    sar    $0x4,%rax
    mov    %r10,(%rdx,%rax,8)
    lea    (%rdx,%r9,1),%rax
    add    $0x8,%rax
    add    $0x2,%rdx
    mov    %rdx,(%rdi)
    mov    %rax,%rdx
    jmp    bc
      PLT32	CONT-0x4

SetPosition:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    24
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    shr    $0x4,%rax
    cmp    0x16(%r9),%rax
    jbe    33
    mov    0x0(%rip),%rax        # 2b
      PC32	set_position-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %rax,0xe(%r9)
    jmp    3c
      PLT32	CONT-0x4

SetTupleElement:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    movq   $0x0,0x0(%rax)
      32S	HOLE_2
      32S	HOLE_0
    jmp    17
      PLT32	CONT-0x4

ShiftLeft:
    mov    $0x0,%r11d
      32	HOLE_1
    sar    $0x4,%r11
    cmp    $0x3b,%r11
    jbe    1f
    mov    0x0(%rip),%rax        # 17
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %rcx,%rax
    add    $0xfffffffffffffff1,%r9
    mov    $0x1,%r10d
    mov    %r11d,%ecx
    shl    %cl,%r10
    imul   %r9,%r10
    jno    4b
    mov    0x0(%rip),%r11        # 3f
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    mov    %rax,%rcx
    jmp    *%r11
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rcx
    mov    %r10,%r9
    jmp    61
      PLT32	PASS-0x4

ShiftLeftConstant:
    mov    %r9,%rax
    add    $0xfffffffffffffff1,%rax
    mov    $0x0,%r9d
      32	HOLE_6
    imul   %rax,%r9
    jno    22
    mov    0x0(%rip),%rax        # 1a
      PC32	by_constant-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    32
      PLT32	PASS-0x4

ShiftLeftMasked:
    mov    $0x0,%eax
      32	HOLE_1
    sar    $0x4,%rax
    cmp    $0x3f,%rax
    ja     13
      PLT32	CONT-0x4
    add    $0xfffffffffffffff1,%r9
    mov    %rcx,%r10
    mov    %eax,%ecx
    shl    %cl,%r9
    and    0x0(%rip),%r9        # 26
      PC32	RECORD+0x1c
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    mov    %r10,%rcx
    jmp    39
      PLT32	TARGET_4-0x4

ShiftRight:
    mov    %rcx,%rax
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    sar    $0x4,%r9
    mov    $0x0,%ecx
      32	HOLE_1
    sar    %cl,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x2008(%rdi)
    mov    %rax,%rcx
    jmp    2d
      PLT32	CONT-0x4

ShiftRightConstant:
    mov    %rcx,%rax
    mov    $0x0,%ecx
      32	HOLE_6
    sar    %cl,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rcx
    jmp    1e
      PLT32	PASS-0x4

SkipBits:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x0,%r10
      32S	HOLE_2
    jb     1f
      PLT32	TARGET_1-0x4
    lea    0x0(%r9),%r9
      32S	HOLE_2
    mov    %r9,0xe(%rax)
    jmp    2f
      PLT32	CONT-0x4

SkipUtf8:
    push   %r15
    push   %r14
    push   %r12
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r14
    sub    %r9,%r14
    cmp    $0x8,%r14
    setb   %r10b
    test   $0x7,%r9b
    setne  %r11b
    or     %r10b,%r11b
    jne    61
    mov    0x6(%rax),%r10
    mov    %r9,%r11
    shr    $0x3,%r11
    movzbl (%r10,%r11,1),%ebx
    mov    $0x8,%r12d
    test   %bl,%bl
    js     5b
    add    %r12,%r9
    mov    %r9,0xe(%rax)
    pop    %rbx
    pop    %r12
    pop    %r14
    pop    %r15
    jmp    5b
      PLT32	CONT-0x4
    cmp    $0x18,%r14
    jae    77
    mov    0x0(%rip),%rax        # 68
      PC32	skip_utf8-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    pop    %r12
    pop    %r14
    pop    %r15
    jmp    *%rax
    cmp    $0xc2,%bl
    jb     61
    movzbl 0x1(%r10,%r11,1),%r15d
    xor    $0x80,%r15
    cmp    $0x3f,%r15b
    ja     61
    mov    $0x10,%r12d
    cmp    $0xe0,%bl
    jb     48
    mov    %ebx,%r14d
    shl    $0x6,%r14d
    or     %r15,%r14
    cmp    $0x3820,%r14d
    jb     61
    cmp    $0xef,%bl
    ja     61
    cmpb   $0xbf,0x2(%r10,%r11,1)
    jg     61
    and    $0xffffffe0,%r14d
    mov    $0x18,%r12d
    cmp    $0x3b60,%r14d
    jne    48
    jmp    61

StartAppend:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    test   $0x1,%r9b
    jne    11
      PLT32	TARGET_3-0x4
    cmpq   $0x128,-0x2(%r9)
    jne    1f
      PLT32	TARGET_3-0x4
    cmpq   $0x10000,0x16(%r9)
    jne    2d
      PLT32	TARGET_3-0x4
    cmpq   $0x0,0xe(%r9)
    jne    38
      PLT32	TARGET_3-0x4
    mov    0x1e(%r9),%rax
    mov    -0x2(%rax),%r10d
    and    $0x3f,%r10d
    cmp    $0x20,%r10d
    jne    4e
      PLT32	TARGET_3-0x4
    testb  $0x1,0xe(%rax)
    je     58
      PLT32	TARGET_3-0x4
    mov    0x6(%r9),%r9
    cmp    %r9,0x6(%rax)
    jne    66
      PLT32	TARGET_3-0x4
    lea    0x0(%rdx),%r10
      32S	HOLE_2+0x20
    cmp    %rsi,%r10
    ja     76
      PLT32	TARGET_3-0x4
    mov    0x1e(%rax),%r10
    mov    0x8(%r10),%r10
    lea    0x0(%r9),%r11
      32S	HOLE_1
    cmp    %r10,%r11
    ja     8e
      PLT32	TARGET_3-0x4
    mov    (%r8),%r11
    testb  $0x4,0xa6(%r11)
    jne    b8
    mov    0x26(%rax),%rax
    add    %rax,%r9
    mov    %r9,0x2058(%r8)
    add    %rax,%r10
    mov    %r10,0x2060(%r8)
    jmp    b8
      PLT32	CONT-0x4
    jmp    bd
      PLT32	TARGET_3-0x4

StartBinary:
    lea    0x0(%rdx),%rax
      32S	HOLE_0+0x20
    cmp    %rsi,%rax
    jbe    11
    jmp    11
      PLT32	TARGET_1-0x4
    lea    0x10(%rdx),%rax
    mov    %rax,0x2058(%r8)
    jmp    21
      PLT32	CONT-0x4

StartBinaryAround:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_3-0x4
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x28,%r9
    ja     21
      PLT32	TARGET_3-0x4
    movabs $0x11100000000,%r10
    bt     %r9,%r10
    jae    35
      PLT32	TARGET_3-0x4
    lea    0x0(%rdx),%r9
      32S	HOLE_2+0x20
    cmp    %rsi,%r9
    ja     45
      PLT32	TARGET_3-0x4
    cmpq   $0x0,0x6(%rax)
      32S	HOLE_1
    ja     7d
    lea    0x10(%rdx),%rax
    xorps  %xmm0,%xmm0
    movups %xmm0,0x40(%rdx)
    movups %xmm0,0x30(%rdx)
    movups %xmm0,0x20(%rdx)
    movups %xmm0,0x10(%rdx)
    mov    %rax,0x2058(%r8)
    lea    0x50(%rdx),%rax
    mov    %rax,0x2060(%r8)
    jmp    7d
      PLT32	CONT-0x4
    jmp    82
      PLT32	TARGET_3-0x4

StartMatch:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    28
    mov    -0x2(%rax),%r10
    mov    %r10d,%r9d
    and    $0x3f,%r9d
    cmp    $0x4,%r9
    jne    3e
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    28
      PLT32	CONT-0x4
    lea    0x48(%rdx),%rax
    cmp    %rsi,%rax
    mov    0x0(%rip),%rax        # 36
      PC32	start_match-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    lea    0x48(%rdx),%r11
    cmp    %rsi,%r11
    ja     2f
    cmp    $0x28,%r9d
    jne    8e
    mov    0xe(%rax),%r9
    movzbl 0x17(%rax),%r10d
    lea    (%r10,%r9,8),%r11
    mov    %r11,0x10(%rdx)
    movzbl 0x16(%rax),%r11d
    add    0x6(%rax),%r9
    lea    (%r10,%r9,8),%r9
    add    %r11,%r9
    mov    %r9,0x18(%rdx)
    mov    0x1e(%rax),%rax
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    mov    %rax,0x20(%rdx)
    cmp    $0x24,%r9d
    jne    b6
    add    $0xe,%rax
    jmp    cc
    and    $0x3b,%r10d
    cmp    $0x20,%r10d
    jne    2f
    movq   $0x0,0x10(%rdx)
    mov    0x6(%rax),%r10
    shl    $0x3,%r10
    mov    %r10,0x18(%rdx)
    mov    %rax,0x20(%rdx)
    cmp    $0x24,%r9d
    je     88
    mov    0xe(%rax),%r9
    test   $0x1,%r9b
    je     c8
    or     $0x2,%r9
    mov    %r9,0xe(%rax)
    mov    0x26(%rax),%rax
    mov    %rax,0x8(%rdx)
    movq   $0x104,(%rdx)
    lea    0x28(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,%rdx
    jmp    ee
      PLT32	CONT-0x4

StartMeasuredBinary:
    lea    0x0(%rdx),%rax
      32S	HOLE_0+0x20
    cmp    %rsi,%rax
    jbe    11
    jmp    11
      PLT32	TARGET_1-0x4
    lea    0x10(%rdx),%rax
    xorps  %xmm0,%xmm0
    movups %xmm0,0x40(%rdx)
    movups %xmm0,0x30(%rdx)
    movups %xmm0,0x20(%rdx)
    movups %xmm0,0x10(%rdx)
    mov    %rax,0x2058(%r8)
    lea    0x50(%rdx),%rax
    mov    %rax,0x2060(%r8)
    jmp    3f
      PLT32	CONT-0x4

Subtract:
    lea    0x0(%rip),%rax        # 7
      PC32	HOLE_1-0x13
    sub    %rax,%r9
    jno    1b
    mov    0x0(%rip),%rax        # 13
      PC32	subtract-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    27
      PLT32	PASS-0x4

SubtractFloats:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    movsd  0x6(%rax),%xmm0
    subsd  0x0(%rip),%xmm0        # 14
      PC32	HOLE_1+0x2
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jge    3e
    lea    0x30(%rdx),%rax
    cmp    %rsi,%rax
    jbe    4d
    mov    0x0(%rip),%rax        # 45
      PC32	subtract-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movq   $0x58,(%rdx)
    movsd  %xmm0,0x8(%rdx)
    lea    0x10(%rdx),%rax
    add    $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    70
      PLT32	CONT-0x4

SwapXX:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %r9,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    21
      PLT32	CONT-0x4

SwapXY:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rsi),%r9
      32S	HOLE_1-0x4
    mov    %r9,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    21
      PLT32	CONT-0x4

SwapYY:
    mov    0x0(%rsi),%rax
      32S	HOLE_0-0x4
    mov    0x0(%rsi),%r9
      32S	HOLE_1-0x4
    mov    %r9,0x0(%rsi)
      32S	HOLE_0-0x4
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    21
      PLT32	CONT-0x4

Tail:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x2,%al
    jne    1b
    mov    0x7(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1b
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 22
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

TakeByte:
    movzbl 0x0(%rdx),%eax
      32S	HOLE_1
    shl    $0x4,%eax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_0
    jmp    1a
      PLT32	CONT-0x4

TakeLittle:
    mov    %rcx,%rax
    mov    (%rdx),%r9
    mov    $0x0,%ecx
      32	HOLE_1
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 15
      PC32	RECORD+0x14
    imul   0x0(%rip),%r9        # 1d
      PC32	RECORD+0x1c
    bswap  %r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,%rcx
    jmp    37
      PLT32	CONT-0x4

TakeSigned:
    mov    %rcx,%rax
    mov    (%rdx),%r9
    mov    $0x0,%ecx
      32	HOLE_1
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 15
      PC32	RECORD+0x14
    mov    0x0(%rip),%rcx        # 1c
      PC32	RECORD+0x1c
    xor    %rcx,%r9
    sub    %rcx,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,%rcx
    jmp    39
      PLT32	CONT-0x4

TakeUnsigned:
    mov    %rcx,%rax
    mov    (%rdx),%r9
    mov    $0x0,%ecx
      32	HOLE_1
    shr    %cl,%r9
    and    0x0(%rip),%r9        # 15
      PC32	RECORD+0x14
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,%rcx
    jmp    2c
      PLT32	CONT-0x4

TestArity:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    f
      PLT32	TARGET_2-0x4
    cmpq   $0x0,-0x2(%rax)
      32S	HOLE_1
    je     1d
      PLT32	CONT-0x4
    jmp    22
      PLT32	TARGET_2-0x4

TestAtLeast:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x16(%rax),%r9
    sub    0xe(%rax),%r9
    cmp    $0x0,%r9
      32S	HOLE_2
    jb     1c
      PLT32	TARGET_1-0x4
    jmp    21
      PLT32	CONT-0x4

TestHeap:
    lea    0x0(%rdx),%rax
      32S	HOLE_0+0x20
    cmp    %rsi,%rax
    jbe    10
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 17
      PC32	test_heap-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

TestPowerUnit:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x16(%rax),%r9
    sub    0xe(%rax),%r9
    test   $0x0,%r9
      32S	HOLE_2
    jne    1c
      PLT32	TARGET_1-0x4
    jmp    21
      PLT32	CONT-0x4

TestRest:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x16(%r9),%rax
    sub    0xe(%r9),%rax
    cmp    $0x0,%rax
      32S	HOLE_2
    jb     1b
      PLT32	TARGET_1-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    sub    %r9,%rax
    test   $0x0,%rax
      32S	HOLE_3
    je     30
      PLT32	CONT-0x4
    jmp    35
      PLT32	TARGET_1-0x4

TestTail:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x16(%rax),%r9
    sub    0xe(%rax),%r9
    cmp    $0x0,%r9
      32S	HOLE_2
    jne    1c
      PLT32	TARGET_1-0x4
    jmp    21
      PLT32	CONT-0x4

TestUnit:
    mov    %rdx,%r9
    mov    0x0(%rdi),%rdx
      32S	HOLE_0
    mov    0x16(%rdx),%rax
    sub    0xe(%rdx),%rax
    mov    $0x0,%r10d
      32	HOLE_2
    mov    %rax,%rdx
    or     %r10,%rdx
    shr    $0x20,%rdx
    je     36
    xor    %edx,%edx
    div    %r10
    test   %rdx,%rdx
    je     40
    mov    %r9,%rdx
    jmp    36
      PLT32	TARGET_1-0x4
    xor    %edx,%edx
    div    %r10d
    test   %rdx,%rdx
    jne    2e
    mov    %r9,%rdx
    jmp    48
      PLT32	CONT-0x4

TryCase:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    movups 0x8(%rdi),%xmm0
    movups %xmm0,(%rdi)
    mov    0x18(%rdi),%rax
    mov    %rax,0x10(%rdi)
    jmp    25
      PLT32	CONT-0x4

TryEnd:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    jmp    16
      PLT32	CONT-0x4

TupleSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    test   $0x1,%al
    jne    13
    mov    -0x2(%rax),%rax
    test   $0x3f,%al
    je     22
    mov    0x0(%rip),%rax        # 1a
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    shr    $0x2,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    36
      PLT32	CONT-0x4

UpdateMap:
    push   %r15
    push   %r14
    push   %r13
    push   %r12
    push   %rbx
    mov    $0x0,%eax
      32	HOLE_0
    test   $0x3,%al
    je     1b
    test   $0x1,%al
    je     34
    jmp    179
    test   $0x4,%al
    mov    %rsi,%r9
    cmove  %rdi,%r9
    and    $0xfffffffffffffff8,%rax
    mov    (%r9,%rax,1),%rax
    test   $0x1,%al
    jne    179
    movabs $0xc00000003f,%r9
    and    -0x2(%rax),%r9
    cmp    $0x2c,%r9
    jne    179
    mov    0x6(%rax),%r9
    lea    (%rdx,%r9,8),%r9
    add    $0x38,%r9
    cmp    %rsi,%r9
    jbe    69
    mov    0x0(%rip),%rax        # 64
      PC32	room_to_update-0x4
    jmp    180
    mov    $0x0,%r9d
      32	HOLE_5
    shl    $0x4,%r9
    je     191
    xor    %r10d,%r10d
    xor    %r11d,%r11d
    mov    0x0(%r10),%r14
      32S	RECORD+0x38
    test   $0x3,%r14b
    jne    9f
    test   $0x4,%r14b
    mov    %rsi,%rbx
    cmove  %rdi,%rbx
    and    $0xfffffffffffffff8,%r14
    mov    (%rbx,%r14,1),%r14
    mov    %r14d,%ebx
    not    %ebx
    test   $0x3,%bl
    jne    179
    mov    0x6(%rax),%r15
    mov    0xe(%rax),%r12
    xor    %ebx,%ebx
    nopw   0x0(%rax,%rax,1)
    cmp    %rbx,%r15
    je     179
    mov    0x6(%r12,%rbx,8),%r13
    inc    %rbx
    cmp    %r14,%r13
    jne    c0
    test   %r10,%r10
    jne    109
    mov    0x6(%rax),%r14
    xor    %r14d,%r14d
    data16 data16 data16 data16 cs nopw 0x0(%rax,%rax,1)
    mov    -0x2(%rax,%r14,8),%r15
    mov    %r15,(%rdx,%r14,8)
    inc    %r14
    mov    0x6(%rax),%r15
    add    $0x2,%r15
    cmp    %r15,%r14
    jbe    f0
    mov    0x0(%r10),%r14
      32S	RECORD+0x40
    test   $0x3,%r14b
    jne    129
    test   $0x4,%r14b
    mov    %rsi,%r15
    cmove  %rdi,%r15
    and    $0xfffffffffffffff8,%r14
    mov    (%r15,%r14,1),%r14
    mov    0x10(%rdx,%rbx,8),%r15
    xor    %r14,%r15
    or     %r15,%r11
    mov    %r14,0x10(%rdx,%rbx,8)
    add    $0x10,%r10
    cmp    %r9,%r10
    jne    7f
    test   %r11,%r11
    je     191
    mov    0x8(%rdx),%rax
    lea    (%rdx,%rax,8),%rax
    add    $0x18,%rax
    add    $0x2,%rdx
    mov    $0x0,%r9d
      32	HOLE_1
    test   $0x4,%r9b
    mov    %rsi,%r10
    cmove  %rdi,%r10
    and    $0xfffffffffffffff8,%r9
    mov    %rdx,(%r10,%r9,1)
    mov    %rax,%rdx
    jmp    1aa
    mov    0x0(%rip),%rax        # 180
      PC32	put_map-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    pop    %r12
    pop    %r13
    pop    %r14
    pop    %r15
    jmp    *%rax
    mov    $0x0,%r9d
      32	HOLE_1
    test   $0x4,%r9b
    mov    %rsi,%r10
    cmove  %rdi,%r10
    and    $0xfffffffffffffff8,%r9
    mov    %rax,(%r10,%r9,1)
    pop    %rbx
    pop    %r12
    pop    %r13
    pop    %r14
    pop    %r15
    jmp    1b8
      PLT32	CONT-0x4
