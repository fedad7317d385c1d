# rustc 1.95.0 (59807616e 2026-04-14)

Absolute:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    29 <_ZN78_$LT$stencils..bodies..guards..Absolute$u20$as$u20$stencils..operation..SD$GT$3run17h3920d7be91679823E+0x29>
    mov    %rax,%r9
    sar    $0x4,%r9
    movabs $0xf800000000000000,%r10
    cmp    %r10,%r9
    jne    38 <_ZN78_$LT$stencils..bodies..guards..Absolute$u20$as$u20$stencils..operation..SD$GT$3run17h3920d7be91679823E+0x38>
    mov    0x0(%rip),%rax        # 30 <_ZN78_$LT$stencils..bodies..guards..Absolute$u20$as$u20$stencils..operation..SD$GT$3run17h3920d7be91679823E+0x30>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    sar    $0x3f,%rax
    xor    %rax,%r9
    sub    %rax,%r9
    shl    $0x4,%r9
    or     $0xf,%r9
    mov    %r9,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    56 <_ZN78_$LT$stencils..bodies..guards..Absolute$u20$as$u20$stencils..operation..SD$GT$3run17h3920d7be91679823E+0x56>
      PLT32	CONT-0x4

Add:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %eax,%r10d
    and    %r9d,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    26 <_ZN73_$LT$stencils..bodies..arith..Add$u20$as$u20$stencils..operation..Ssd$GT$3run17h03c8a26fac4425f5E+0x26>
    and    $0xfffffffffffffff0,%r9
    add    %r9,%rax
    jno    35 <_ZN73_$LT$stencils..bodies..arith..Add$u20$as$u20$stencils..operation..Ssd$GT$3run17h03c8a26fac4425f5E+0x35>
    mov    0x0(%rip),%rax        # 2d <_ZN73_$LT$stencils..bodies..arith..Add$u20$as$u20$stencils..operation..Ssd$GT$3run17h03c8a26fac4425f5E+0x2d>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    41 <_ZN73_$LT$stencils..bodies..arith..Add$u20$as$u20$stencils..operation..Ssd$GT$3run17h03c8a26fac4425f5E+0x41>
      PLT32	CONT-0x4

Allocate:
    mov    %rsi,%rax
    sub    %rdx,%rax
    cmp    $0x0,%rax
      32S	HOLE_0+0x20
    jge    1d <_ZN76_$LT$stencils..bodies..moves..Allocate$u20$as$u20$stencils..operation..P$GT$3run17h045e7263d05fe64eE+0x1d>
    mov    0x0(%rip),%rax        # 15 <_ZN76_$LT$stencils..bodies..moves..Allocate$u20$as$u20$stencils..operation..P$GT$3run17h045e7263d05fe64eE+0x15>
      PC32	allocate-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $0x0,%eax
      32	HOLE_0
    sub    %rax,%rsi
    jmp    2a <_ZN76_$LT$stencils..bodies..moves..Allocate$u20$as$u20$stencils..operation..P$GT$3run17h045e7263d05fe64eE+0x2a>
      PLT32	CONT-0x4

AllocateHeap:
    mov    %rsi,%rax
    sub    %rdx,%rax
    cmp    $0x0,%rax
      32S	HOLE_2+0x20
    jge    1d <_ZN80_$LT$stencils..bodies..moves..AllocateHeap$u20$as$u20$stencils..operation..P$GT$3run17h30afd8d7d35bca8bE+0x1d>
    mov    0x0(%rip),%rax        # 15 <_ZN80_$LT$stencils..bodies..moves..AllocateHeap$u20$as$u20$stencils..operation..P$GT$3run17h30afd8d7d35bca8bE+0x15>
      PC32	allocate_heap-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    $0x0,%eax
      32	HOLE_0
    sub    %rax,%rsi
    jmp    2a <_ZN80_$LT$stencils..bodies..moves..AllocateHeap$u20$as$u20$stencils..operation..P$GT$3run17h30afd8d7d35bca8bE+0x2a>
      PLT32	CONT-0x4

BitAnd:
    mov    $0x0,%eax
      32	HOLE_0
    and    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    24 <_ZN76_$LT$stencils..bodies..arith..BitAnd$u20$as$u20$stencils..operation..Ssd$GT$3run17h30e2724f1c7151b6E+0x24>
    mov    %rax,0x0(%rsi)
      32S	HOLE_2-0x4
    jmp    24 <_ZN76_$LT$stencils..bodies..arith..BitAnd$u20$as$u20$stencils..operation..Ssd$GT$3run17h30e2724f1c7151b6E+0x24>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 2b <_ZN76_$LT$stencils..bodies..arith..BitAnd$u20$as$u20$stencils..operation..Ssd$GT$3run17h30e2724f1c7151b6E+0x2b>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

BitOr:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %eax,%r10d
    and    %r9d,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    2c <_ZN75_$LT$stencils..bodies..arith..BitOr$u20$as$u20$stencils..operation..Ssd$GT$3run17h84fc1d056ea3055aE+0x2c>
    or     %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    2c <_ZN75_$LT$stencils..bodies..arith..BitOr$u20$as$u20$stencils..operation..Ssd$GT$3run17h84fc1d056ea3055aE+0x2c>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 33 <_ZN75_$LT$stencils..bodies..arith..BitOr$u20$as$u20$stencils..operation..Ssd$GT$3run17h84fc1d056ea3055aE+0x33>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

BitXor:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %r9d,%r10d
    and    %eax,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    30 <_ZN76_$LT$stencils..bodies..arith..BitXor$u20$as$u20$stencils..operation..Ssd$GT$3run17h1f9b8fa664793bcfE+0x30>
    xor    %r9,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    30 <_ZN76_$LT$stencils..bodies..arith..BitXor$u20$as$u20$stencils..operation..Ssd$GT$3run17h1f9b8fa664793bcfE+0x30>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 37 <_ZN76_$LT$stencils..bodies..arith..BitXor$u20$as$u20$stencils..operation..Ssd$GT$3run17h1f9b8fa664793bcfE+0x37>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

ByteSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    4c <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x4c>
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x20,%r9
    je     2e <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x2e>
    cmp    $0x28,%r9d
    je     46 <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x46>
    cmp    $0x24,%r9d
    jne    4c <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x4c>
    mov    0x6(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    46 <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x46>
      PLT32	CONT-0x4
    cmpb   $0x0,0x16(%rax)
    je     2e <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x2e>
    mov    0x0(%rip),%rax        # 53 <_ZN78_$LT$stencils..bodies..guards..ByteSize$u20$as$u20$stencils..operation..SD$GT$3run17h012a4318c9cb7f4bE+0x53>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Call:
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x10
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     16 <_ZN72_$LT$stencils..bodies..calls..Call$u20$as$u20$stencils..operation..P$GT$3run17h302b43d792fb2561E+0x16>
    jmp    16 <_ZN72_$LT$stencils..bodies..calls..Call$u20$as$u20$stencils..operation..P$GT$3run17h302b43d792fb2561E+0x16>
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 1d <_ZN72_$LT$stencils..bodies..calls..Call$u20$as$u20$stencils..operation..P$GT$3run17h302b43d792fb2561E+0x1d>
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

CallExport:
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x10
    add    $0xfffffffffffffff8,%rsi
    mov    0x0(%rip),%rax        # 13 <_ZN78_$LT$stencils..bodies..calls..CallExport$u20$as$u20$stencils..operation..P$GT$3run17h0ecee1ca743a2c6eE+0x13>
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    mov    $0x0,%eax
      32	preempt
    cmovns %r9,%rax
    mov    (%rax),%rax
    jmp    *%rax

CallExportLast:
    mov    0x0(%rip),%rax        # 7 <_ZN82_$LT$stencils..bodies..calls..CallExportLast$u20$as$u20$stencils..operation..P$GT$3run17h42ab3b629ccc24eaE+0x7>
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    mov    $0x0,%eax
      32	preempt
    cmovns %r9,%rax
    lea    0x0(%rsi),%rsi
      32S	HOLE_1
    mov    (%rax),%rax
    jmp    *%rax

CallExportOnly:
    mov    0x0(%rip),%rax        # 7 <_ZN82_$LT$stencils..bodies..calls..CallExportOnly$u20$as$u20$stencils..operation..P$GT$3run17hd83ae87c435d9de4E+0x7>
      PC32	RECORD+0x4
    mov    (%rax),%r9
    dec    %rcx
    mov    $0x0,%eax
      32	preempt
    cmovns %r9,%rax
    mov    (%rax),%rax
    jmp    *%rax

CallFun:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    90 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x90>
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x14,%r9d
    jne    90 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x90>
    movzbl 0xe(%rax),%r9d
    cmp    $0x0,%r9
      32S	HOLE_1
    jne    90 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x90>
    mov    0x6(%rax),%r9
    mov    (%r9),%r9
    test   %r9,%r9
    je     90 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x90>
    mov    0xe(%rax),%r10
    cmp    $0x100,%r10
    jb     79 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x79>
    lea    0x0(%rdi),%r10
      32S	HOLE_2
    xor    %r11d,%r11d
    data16 data16 cs nopw 0x0(%rax,%rax,1)
    mov    0x1e(%rax,%r11,8),%rbx
    mov    %rbx,(%r10,%r11,8)
    inc    %r11
    mov    0xe(%rax),%rbx
    shr    $0x8,%rbx
    cmp    %rbx,%r11
    jb     60 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x60>
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x20
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     a0 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0xa0>
    mov    (%r9),%rax
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 97 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0x97>
      PC32	call_fun-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # a7 <_ZN75_$LT$stencils..bodies..calls..CallFun$u20$as$u20$stencils..operation..S$GT$3run17h851bc301ed879853E+0xa7>
      PC32	preempt-0x4
    pop    %rbx
    jmp    *%rax

CallFunLast:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    8b <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x8b>
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x14,%r9d
    jne    8b <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x8b>
    movzbl 0xe(%rax),%r9d
    cmp    $0x0,%r9
      32S	HOLE_1
    jne    8b <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x8b>
    mov    0x6(%rax),%r9
    mov    (%r9),%r9
    test   %r9,%r9
    je     8b <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x8b>
    mov    0xe(%rax),%r10
    cmp    $0x100,%r10
    jb     79 <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x79>
    lea    0x0(%rdi),%r10
      32S	HOLE_3
    xor    %r11d,%r11d
    data16 data16 cs nopw 0x0(%rax,%rax,1)
    mov    0x1e(%rax,%r11,8),%rbx
    mov    %rbx,(%r10,%r11,8)
    inc    %r11
    mov    0xe(%rax),%rbx
    shr    $0x8,%rbx
    cmp    %rbx,%r11
    jb     60 <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x60>
    lea    0x0(%rsi),%rsi
      32S	HOLE_2
    dec    %rcx
    js     9b <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x9b>
    mov    (%r9),%rax
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # 92 <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0x92>
      PC32	call_fun_last-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    mov    0x0(%rip),%rax        # a2 <_ZN79_$LT$stencils..bodies..calls..CallFunLast$u20$as$u20$stencils..operation..S$GT$3run17h312182884e6bff06E+0xa2>
      PC32	preempt-0x4
    pop    %rbx
    jmp    *%rax

CallLast:
    lea    0x0(%rsi),%rsi
      32S	HOLE_1
    dec    %rcx
    js     11 <_ZN76_$LT$stencils..bodies..calls..CallLast$u20$as$u20$stencils..operation..P$GT$3run17h01669f8f5fd99935E+0x11>
    jmp    11 <_ZN76_$LT$stencils..bodies..calls..CallLast$u20$as$u20$stencils..operation..P$GT$3run17h01669f8f5fd99935E+0x11>
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 18 <_ZN76_$LT$stencils..bodies..calls..CallLast$u20$as$u20$stencils..operation..P$GT$3run17h01669f8f5fd99935E+0x18>
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_0
    jmp    *%rax

CallOnly:
    dec    %rcx
    js     a <_ZN76_$LT$stencils..bodies..calls..CallOnly$u20$as$u20$stencils..operation..P$GT$3run17h42f1efd67abdecdeE+0xa>
    jmp    a <_ZN76_$LT$stencils..bodies..calls..CallOnly$u20$as$u20$stencils..operation..P$GT$3run17h42f1efd67abdecdeE+0xa>
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 11 <_ZN76_$LT$stencils..bodies..calls..CallOnly$u20$as$u20$stencils..operation..P$GT$3run17h42f1efd67abdecdeE+0x11>
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
    jmp    1f <_ZN78_$LT$stencils..bodies..exceptions..Catch$u20$as$u20$stencils..operation..P$GT$3run17h573da3cb12859871E+0x1f>
      PLT32	CONT-0x4

CatchEnd:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    cmpq   $0x0,(%rdi)
    jne    1b <_ZN81_$LT$stencils..bodies..exceptions..CatchEnd$u20$as$u20$stencils..operation..P$GT$3run17h2c3a312489c230cfE+0x1b>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 22 <_ZN81_$LT$stencils..bodies..exceptions..CatchEnd$u20$as$u20$stencils..operation..P$GT$3run17h2c3a312489c230cfE+0x22>
      PC32	catch_value-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Deallocate:
    lea    0x0(%rsi),%rsi
      32S	HOLE_0
    jmp    c <_ZN78_$LT$stencils..bodies..moves..Deallocate$u20$as$u20$stencils..operation..P$GT$3run17hac490c0f6f313d43E+0xc>
      PLT32	CONT-0x4

DeallocateReturn:
    mov    0x0(%rsi),%r9
      32S	HOLE_0
    lea    0x0(%rsi),%rsi
      32S	HOLE_0+0x8
    mov    (%r9),%rax
    jmp    *%rax

Element:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    56 <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x56>
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    %r9d,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    56 <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x56>
    mov    -0x2(%rax),%r10
    mov    %r10d,%r11d
    and    $0x3f,%r11d
    jne    56 <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x56>
    sar    $0x4,%r9
    lea    -0x1(%r9),%r11
    shr    $0x6,%r10
    cmp    %r10,%r11
    jae    56 <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x56>
    mov    -0x2(%rax,%r9,8),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    56 <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x56>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 5d <_ZN78_$LT$stencils..bodies..guards..Element$u20$as$u20$stencils..operation..Ssd$GT$3run17h08bb79a185c022adE+0x5d>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

ElementConstant:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    30 <_ZN85_$LT$stencils..bodies..guards..ElementConstant$u20$as$u20$stencils..operation..SD$GT$3run17h38b45b05f80e8c8fE+0x30>
    mov    -0x2(%rax),%r9
    test   $0x3f,%r9b
    setne  %r10b
    cmp    $0x0,%r9
      32S	HOLE_7
    setb   %r9b
    or     %r10b,%r9b
    je     3f <_ZN85_$LT$stencils..bodies..guards..ElementConstant$u20$as$u20$stencils..operation..SD$GT$3run17h38b45b05f80e8c8fE+0x3f>
    mov    0x0(%rip),%rax        # 37 <_ZN85_$LT$stencils..bodies..guards..ElementConstant$u20$as$u20$stencils..operation..SD$GT$3run17h38b45b05f80e8c8fE+0x37>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    0x0(%rax),%rax
      32S	HOLE_6
    mov    %rax,0x0(%rsi)
      32S	HOLE_2-0x4
    jmp    52 <_ZN85_$LT$stencils..bodies..guards..ElementConstant$u20$as$u20$stencils..operation..SD$GT$3run17h38b45b05f80e8c8fE+0x52>
      PLT32	CONT-0x4

EndTuple:
    lea    0x0(%rdx),%rax
      32S	HOLE_1
    or     $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_0
    mov    %rax,%rdx
    jmp    1a <_ZN77_$LT$stencils..bodies..tuples..EndTuple$u20$as$u20$stencils..operation..D$GT$3run17h319161f382184637E+0x1a>
      PLT32	CONT-0x4

Equal:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a <_ZN76_$LT$stencils..bodies..guards..Equal$u20$as$u20$stencils..operation..Ssd$GT$3run17h2b848e3030dd37c5E+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x11dcb,%eax
    mov    $0x7dcb,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN76_$LT$stencils..bodies..guards..Equal$u20$as$u20$stencils..operation..Ssd$GT$3run17h2b848e3030dd37c5E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN76_$LT$stencils..bodies..guards..Equal$u20$as$u20$stencils..operation..Ssd$GT$3run17h2b848e3030dd37c5E+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

FloatAdd:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x48
    addsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x48
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42 <_ZN77_$LT$stencils..bodies..floats..FloatAdd$u20$as$u20$stencils..operation..P$GT$3run17h6f4ad8cb6266e400E+0x42>
    mov    0x0(%rip),%rax        # 3a <_ZN77_$LT$stencils..bodies..floats..FloatAdd$u20$as$u20$stencils..operation..P$GT$3run17h6f4ad8cb6266e400E+0x3a>
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x48
    jmp    50 <_ZN77_$LT$stencils..bodies..floats..FloatAdd$u20$as$u20$stencils..operation..P$GT$3run17h6f4ad8cb6266e400E+0x50>
      PLT32	CONT-0x4

FloatConvert:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x2a>
    sar    $0x4,%rax
    cvtsi2sd %rax,%xmm0
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x48
    jmp    2a <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x2a>
      PLT32	CONT-0x4
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    51 <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x51>
    cmpq   $0x58,-0x2(%rax)
    jne    51 <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x51>
    movsd  0x6(%rax),%xmm0
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x48
    jmp    51 <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x51>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 58 <_ZN81_$LT$stencils..bodies..floats..FloatConvert$u20$as$u20$stencils..operation..S$GT$3run17h8cfd23ae2b43c629E+0x58>
      PC32	convert-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

FloatDivide:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x48
    divsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x48
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42 <_ZN80_$LT$stencils..bodies..floats..FloatDivide$u20$as$u20$stencils..operation..P$GT$3run17h3537334d7b3776e0E+0x42>
    mov    0x0(%rip),%rax        # 3a <_ZN80_$LT$stencils..bodies..floats..FloatDivide$u20$as$u20$stencils..operation..P$GT$3run17h3537334d7b3776e0E+0x3a>
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x48
    jmp    50 <_ZN80_$LT$stencils..bodies..floats..FloatDivide$u20$as$u20$stencils..operation..P$GT$3run17h3537334d7b3776e0E+0x50>
      PLT32	CONT-0x4

FloatLoad:
    movsd  0x0(%rip),%xmm0        # 8 <_ZN78_$LT$stencils..bodies..floats..FloatLoad$u20$as$u20$stencils..operation..S$GT$3run17hbee9d93416f689e3E+0x8>
      PC32	HOLE_0+0x2
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_1+0x48
    jmp    16 <_ZN78_$LT$stencils..bodies..floats..FloatLoad$u20$as$u20$stencils..operation..S$GT$3run17hbee9d93416f689e3E+0x16>
      PLT32	CONT-0x4

FloatMultiply:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x48
    mulsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x48
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42 <_ZN82_$LT$stencils..bodies..floats..FloatMultiply$u20$as$u20$stencils..operation..P$GT$3run17h741e36703f69639aE+0x42>
    mov    0x0(%rip),%rax        # 3a <_ZN82_$LT$stencils..bodies..floats..FloatMultiply$u20$as$u20$stencils..operation..P$GT$3run17h741e36703f69639aE+0x3a>
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x48
    jmp    50 <_ZN82_$LT$stencils..bodies..floats..FloatMultiply$u20$as$u20$stencils..operation..P$GT$3run17h741e36703f69639aE+0x50>
      PLT32	CONT-0x4

FloatStore:
    movq   $0x58,(%rdx)
    mov    0x0(%r8),%rax
      32S	HOLE_0+0x48
    mov    %rax,0x8(%rdx)
    lea    0x10(%rdx),%rax
    mov    $0x0,%r9d
      32	HOLE_1
    test   $0x4,%r9b
    mov    %rsi,%r10
    cmove  %rdi,%r10
    or     $0x2,%rdx
    and    $0xfffffffffffffff8,%r9
    mov    %rdx,(%r10,%r9,1)
    mov    %rax,%rdx
    jmp    3b <_ZN79_$LT$stencils..bodies..floats..FloatStore$u20$as$u20$stencils..operation..P$GT$3run17h2a7a09a45f269d57E+0x3b>
      PLT32	CONT-0x4

FloatSubtract:
    movsd  0x0(%r8),%xmm0
      32S	HOLE_0+0x48
    subsd  0x0(%r8),%xmm0
      32S	HOLE_1+0x48
    movq   %xmm0,%rax
    movabs $0x7fffffffffffffff,%r9
    and    %rax,%r9
    movabs $0x7ff0000000000000,%rax
    cmp    %rax,%r9
    jl     42 <_ZN82_$LT$stencils..bodies..floats..FloatSubtract$u20$as$u20$stencils..operation..P$GT$3run17h43882c398b3ab84bE+0x42>
    mov    0x0(%rip),%rax        # 3a <_ZN82_$LT$stencils..bodies..floats..FloatSubtract$u20$as$u20$stencils..operation..P$GT$3run17h43882c398b3ab84bE+0x3a>
      PC32	badarith-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    movsd  %xmm0,0x0(%r8)
      32S	HOLE_2+0x48
    jmp    50 <_ZN82_$LT$stencils..bodies..floats..FloatSubtract$u20$as$u20$stencils..operation..P$GT$3run17h43882c398b3ab84bE+0x50>
      PLT32	CONT-0x4

FunHead:
    movq   $0x0,(%rdx)
      32S	HOLE_3
    mov    0x0(%rip),%rax        # e <_ZN75_$LT$stencils..bodies..calls..FunHead$u20$as$u20$stencils..operation..P$GT$3run17h0c4f0f3ae88bb367E+0xe>
      PC32	RECORD+0xc
    mov    %rax,0x8(%rdx)
    movq   $0x0,0x10(%rdx)
      32S	HOLE_2
    mov    (%r8),%rax
    mov    0x28(%rax),%rax
    mov    %rax,0x18(%rdx)
    jmp    2a <_ZN75_$LT$stencils..bodies..calls..FunHead$u20$as$u20$stencils..operation..P$GT$3run17h0c4f0f3ae88bb367E+0x2a>
      PLT32	CONT-0x4

GetHd:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    -0x1(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    17 <_ZN74_$LT$stencils..bodies..lists..GetHd$u20$as$u20$stencils..operation..SD$GT$3run17h1f9a066f9b176e85E+0x17>
      PLT32	CONT-0x4

GetInteger16:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x10,%r10
    jb     1c <_ZN84_$LT$stencils..bodies..binaries..GetInteger16$u20$as$u20$stencils..operation..SD$GT$3run17h0d36b5538908878fE+0x1c>
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31 <_ZN84_$LT$stencils..bodies..binaries..GetInteger16$u20$as$u20$stencils..operation..SD$GT$3run17h0d36b5538908878fE+0x31>
    mov    0x0(%rip),%rax        # 29 <_ZN84_$LT$stencils..bodies..binaries..GetInteger16$u20$as$u20$stencils..operation..SD$GT$3run17h0d36b5538908878fE+0x29>
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
    mov    %rax,0x0(%rsi)
      32S	HOLE_2-0x4
    jmp    65 <_ZN84_$LT$stencils..bodies..binaries..GetInteger16$u20$as$u20$stencils..operation..SD$GT$3run17h0d36b5538908878fE+0x65>
      PLT32	CONT-0x4

GetInteger32:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x20,%r10
    jb     1c <_ZN84_$LT$stencils..bodies..binaries..GetInteger32$u20$as$u20$stencils..operation..SD$GT$3run17h477723f8e2577188E+0x1c>
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31 <_ZN84_$LT$stencils..bodies..binaries..GetInteger32$u20$as$u20$stencils..operation..SD$GT$3run17h477723f8e2577188E+0x31>
    mov    0x0(%rip),%rax        # 29 <_ZN84_$LT$stencils..bodies..binaries..GetInteger32$u20$as$u20$stencils..operation..SD$GT$3run17h477723f8e2577188E+0x29>
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
    jmp    5f <_ZN84_$LT$stencils..bodies..binaries..GetInteger32$u20$as$u20$stencils..operation..SD$GT$3run17h477723f8e2577188E+0x5f>
      PLT32	CONT-0x4

GetInteger8:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x8,%r10
    jb     1c <_ZN83_$LT$stencils..bodies..binaries..GetInteger8$u20$as$u20$stencils..operation..SD$GT$3run17h02736a3770cf07b5E+0x1c>
      PLT32	TARGET_3-0x4
    test   $0x7,%r9b
    je     31 <_ZN83_$LT$stencils..bodies..binaries..GetInteger8$u20$as$u20$stencils..operation..SD$GT$3run17h02736a3770cf07b5E+0x31>
    mov    0x0(%rip),%rax        # 29 <_ZN83_$LT$stencils..bodies..binaries..GetInteger8$u20$as$u20$stencils..operation..SD$GT$3run17h02736a3770cf07b5E+0x29>
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
    jmp    5d <_ZN83_$LT$stencils..bodies..binaries..GetInteger8$u20$as$u20$stencils..operation..SD$GT$3run17h02736a3770cf07b5E+0x5d>
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
    jmp    22 <_ZN77_$LT$stencils..bodies..lists..GetList$u20$as$u20$stencils..operation..Sdd$GT$3run17h52ce2b6c7ff60123E+0x22>
      PLT32	CONT-0x4

GetLittle:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c <_ZN81_$LT$stencils..bodies..binaries..GetLittle$u20$as$u20$stencils..operation..SD$GT$3run17h340b1b279117c6edE+0x1c>
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
    and    0x0(%rip),%r10        # 4a <_ZN81_$LT$stencils..bodies..binaries..GetLittle$u20$as$u20$stencils..operation..SD$GT$3run17h340b1b279117c6edE+0x4a>
      PC32	RECORD+0x44
    imul   0x0(%rip),%r10        # 52 <_ZN81_$LT$stencils..bodies..binaries..GetLittle$u20$as$u20$stencils..operation..SD$GT$3run17h340b1b279117c6edE+0x52>
      PC32	RECORD+0x4c
    bswap  %r10
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rsi)
      32S	HOLE_2-0x4
    mov    %r9,%rcx
    jmp    6c <_ZN81_$LT$stencils..bodies..binaries..GetLittle$u20$as$u20$stencils..operation..SD$GT$3run17h340b1b279117c6edE+0x6c>
      PLT32	CONT-0x4

GetMapElement:
    push   %rbx
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    68 <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x68>
    movabs $0xc00000003f,%r9
    and    -0x2(%rax),%r9
    cmp    $0x2c,%r9
    jne    68 <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x68>
    mov    0x6(%rax),%r9
    mov    0xe(%rax),%r11
    xor    %r10d,%r10d
    data16 data16 cs nopw 0x0(%rax,%rax,1)
    cmp    %r10,%r9
    je     78 <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x78>
    mov    0x6(%r11,%r10,8),%rbx
    inc    %r10
    cmp    $0x0,%rbx
      32S	HOLE_2
    jne    40 <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x40>
    mov    0xe(%rax,%r10,8),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    pop    %rbx
    jmp    68 <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x68>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 6f <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x6f>
      PC32	get_map_element-0x4
    mov    $0x0,%r9d
      32	RECORD
    pop    %rbx
    jmp    *%rax
    pop    %rbx
    jmp    7e <_ZN81_$LT$stencils..bodies..maps..GetMapElement$u20$as$u20$stencils..operation..SD$GT$3run17h11c20ceac7282947E+0x7e>
      PLT32	TARGET_3-0x4

GetPosition:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1f <_ZN83_$LT$stencils..bodies..binaries..GetPosition$u20$as$u20$stencils..operation..SD$GT$3run17h4a52a687ca9770a6E+0x1f>
      PLT32	CONT-0x4

GetSigned:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c <_ZN81_$LT$stencils..bodies..binaries..GetSigned$u20$as$u20$stencils..operation..SD$GT$3run17h09bb1b81c1009e99E+0x1c>
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
    and    0x0(%rip),%r10        # 4a <_ZN81_$LT$stencils..bodies..binaries..GetSigned$u20$as$u20$stencils..operation..SD$GT$3run17h09bb1b81c1009e99E+0x4a>
      PC32	RECORD+0x44
    mov    0x0(%rip),%rax        # 51 <_ZN81_$LT$stencils..bodies..binaries..GetSigned$u20$as$u20$stencils..operation..SD$GT$3run17h09bb1b81c1009e99E+0x51>
      PC32	RECORD+0x4c
    xor    %rax,%r10
    sub    %rax,%r10
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    6e <_ZN81_$LT$stencils..bodies..binaries..GetSigned$u20$as$u20$stencils..operation..SD$GT$3run17h09bb1b81c1009e99E+0x6e>
      PLT32	CONT-0x4

GetTl:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x7(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    17 <_ZN74_$LT$stencils..bodies..lists..GetTl$u20$as$u20$stencils..operation..SD$GT$3run17h0edb3f3a8dcaa78fE+0x17>
      PLT32	CONT-0x4

GetTupleElement:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rax),%rax
      32S	HOLE_2
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    1a <_ZN85_$LT$stencils..bodies..tuples..GetTupleElement$u20$as$u20$stencils..operation..SD$GT$3run17h121f223fd5d2a0d9E+0x1a>
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
    jmp    28 <_ZN87_$LT$stencils..bodies..tuples..GetTupleElement2$u20$as$u20$stencils..operation..Sdd$GT$3run17h6306a31f00b630bcE+0x28>
      PLT32	CONT-0x4

GetUnsigned:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r10
    lea    0x0(%r10),%rax
      32S	HOLE_7
    cmp    0x16(%r9),%rax
    ja     1c <_ZN83_$LT$stencils..bodies..binaries..GetUnsigned$u20$as$u20$stencils..operation..SD$GT$3run17h0c64e2067b452ad2E+0x1c>
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
    and    0x0(%rip),%r10        # 4a <_ZN83_$LT$stencils..bodies..binaries..GetUnsigned$u20$as$u20$stencils..operation..SD$GT$3run17h0c64e2067b452ad2E+0x4a>
      PC32	RECORD+0x44
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    61 <_ZN83_$LT$stencils..bodies..binaries..GetUnsigned$u20$as$u20$stencils..operation..SD$GT$3run17h0c64e2067b452ad2E+0x61>
      PLT32	CONT-0x4

GetUtf8:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    test   $0x7,%r9b
    jne    4f <_ZN79_$LT$stencils..bodies..binaries..GetUtf8$u20$as$u20$stencils..operation..SD$GT$3run17h268a4b9728d34bcaE+0x4f>
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x8,%r10
    jb     4f <_ZN79_$LT$stencils..bodies..binaries..GetUtf8$u20$as$u20$stencils..operation..SD$GT$3run17h268a4b9728d34bcaE+0x4f>
    mov    0x6(%rax),%r10
    mov    %r9,%r11
    shr    $0x3,%r11
    movsbq (%r10,%r11,1),%r10
    test   %r10,%r10
    js     4f <_ZN79_$LT$stencils..bodies..binaries..GetUtf8$u20$as$u20$stencils..operation..SD$GT$3run17h268a4b9728d34bcaE+0x4f>
    add    $0x8,%r9
    mov    %r9,0xe(%rax)
    shl    $0x4,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    4f <_ZN79_$LT$stencils..bodies..binaries..GetUtf8$u20$as$u20$stencils..operation..SD$GT$3run17h268a4b9728d34bcaE+0x4f>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 56 <_ZN79_$LT$stencils..bodies..binaries..GetUtf8$u20$as$u20$stencils..operation..SD$GT$3run17h268a4b9728d34bcaE+0x56>
      PC32	get_utf8-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Greater:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a <_ZN78_$LT$stencils..bodies..guards..Greater$u20$as$u20$stencils..operation..Ssd$GT$3run17ha03f6373d47b8180E+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x11dcb,%eax
    mov    $0x7dcb,%r9d
    cmovg  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN78_$LT$stencils..bodies..guards..Greater$u20$as$u20$stencils..operation..Ssd$GT$3run17ha03f6373d47b8180E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN78_$LT$stencils..bodies..guards..Greater$u20$as$u20$stencils..operation..Ssd$GT$3run17ha03f6373d47b8180E+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Head:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x1,%r9d
    jne    24 <_ZN74_$LT$stencils..bodies..guards..Head$u20$as$u20$stencils..operation..SD$GT$3run17h1233aae092494832E+0x24>
    mov    -0x1(%rax),%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    24 <_ZN74_$LT$stencils..bodies..guards..Head$u20$as$u20$stencils..operation..SD$GT$3run17h1233aae092494832E+0x24>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 2b <_ZN74_$LT$stencils..bodies..guards..Head$u20$as$u20$stencils..operation..SD$GT$3run17h1233aae092494832E+0x2b>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

InitY:
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    jmp    10 <_ZN73_$LT$stencils..bodies..moves..InitY$u20$as$u20$stencils..operation..P$GT$3run17h01da3e5cc3559cf7E+0x10>
      PLT32	CONT-0x4

InitY2:
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    1b <_ZN74_$LT$stencils..bodies..moves..InitY2$u20$as$u20$stencils..operation..P$GT$3run17h0fb51db7236ca9f1E+0x1b>
      PLT32	CONT-0x4

IntegerDivide:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r10
      32S	HOLE_1
    mov    %eax,%r9d
    and    %r10d,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    45 <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x45>
    sar    $0x4,%r10
    lea    -0x1(%r10),%r9
    cmp    $0xfffffffffffffffe,%r9
    jae    45 <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x45>
    mov    %rdx,%r9
    sar    $0x4,%rax
    mov    %rax,%rdx
    or     %r10,%rdx
    shr    $0x20,%rdx
    je     54 <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x54>
    cqto
    idiv   %r10
    jmp    59 <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x59>
    mov    0x0(%rip),%rax        # 4c <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x4c>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    xor    %edx,%edx
    div    %r10d
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rdx
    jmp    70 <_ZN83_$LT$stencils..bodies..arith..IntegerDivide$u20$as$u20$stencils..operation..Ssd$GT$3run17h9e21ed9d4e08622fE+0x70>
      PLT32	CONT-0x4

IsAtom:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    and    $0x3f,%eax
    cmp    $0xb,%eax
    jne    12 <_ZN74_$LT$stencils..bodies..tests..IsAtom$u20$as$u20$stencils..operation..S$GT$3run17h2b95c6f0866b8180E+0x12>
      PLT32	TARGET_1-0x4
    jmp    17 <_ZN74_$LT$stencils..bodies..tests..IsAtom$u20$as$u20$stencils..operation..S$GT$3run17h2b95c6f0866b8180E+0x17>
      PLT32	CONT-0x4

IsBinary:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x18>
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%r9
    and    $0x3f,%r9d
    cmp    $0x20,%r9
    je     2a <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x2a>
      PLT32	CONT-0x4
    cmp    $0x28,%r9d
    je     3f <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x3f>
    cmp    $0x24,%r9d
    jne    3a <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x3a>
      PLT32	TARGET_1-0x4
    jmp    3f <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x3f>
      PLT32	CONT-0x4
    cmpb   $0x0,0x16(%rax)
    je     49 <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x49>
      PLT32	CONT-0x4
    jmp    4e <_ZN76_$LT$stencils..bodies..tests..IsBinary$u20$as$u20$stencils..operation..S$GT$3run17h0ed247912c54d043E+0x4e>
      PLT32	TARGET_1-0x4

IsBitstring:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN79_$LT$stencils..bodies..tests..IsBitstring$u20$as$u20$stencils..operation..S$GT$3run17h15a246fab4412c7dE+0x18>
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0x700,%r9d
    bt     %eax,%r9d
    jb     35 <_ZN79_$LT$stencils..bodies..tests..IsBitstring$u20$as$u20$stencils..operation..S$GT$3run17h15a246fab4412c7dE+0x35>
      PLT32	CONT-0x4
    jmp    3a <_ZN79_$LT$stencils..bodies..tests..IsBitstring$u20$as$u20$stencils..operation..S$GT$3run17h15a246fab4412c7dE+0x3a>
      PLT32	TARGET_1-0x4

IsEq:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    cmp    %r9,%rax
    je     17 <_ZN75_$LT$stencils..bodies..compare..IsEq$u20$as$u20$stencils..operation..SS$GT$3run17h2ce61b592097fd09E+0x17>
      PLT32	CONT-0x4
    and    %r9d,%eax
    not    %eax
    test   $0x3,%al
    je     24 <_ZN75_$LT$stencils..bodies..compare..IsEq$u20$as$u20$stencils..operation..SS$GT$3run17h2ce61b592097fd09E+0x24>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 2b <_ZN75_$LT$stencils..bodies..compare..IsEq$u20$as$u20$stencils..operation..SS$GT$3run17h2ce61b592097fd09E+0x2b>
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
    je     17 <_ZN80_$LT$stencils..bodies..compare..IsEqExact$u20$as$u20$stencils..operation..SS$GT$3run17h81290effd075c06dE+0x17>
      PLT32	CONT-0x4
    mov    %r9d,%r10d
    not    %r10d
    test   $0x3,%r10b
    je     27 <_ZN80_$LT$stencils..bodies..compare..IsEqExact$u20$as$u20$stencils..operation..SS$GT$3run17h81290effd075c06dE+0x27>
      PLT32	TARGET_2-0x4
    xor    %r9d,%eax
    test   $0x3,%al
    jne    32 <_ZN80_$LT$stencils..bodies..compare..IsEqExact$u20$as$u20$stencils..operation..SS$GT$3run17h81290effd075c06dE+0x32>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 39 <_ZN80_$LT$stencils..bodies..compare..IsEqExact$u20$as$u20$stencils..operation..SS$GT$3run17h81290effd075c06dE+0x39>
      PC32	is_eq_exact-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsEqImmediate:
    cmpq   $0x0,0x0(%rdi)
      32S	HOLE_0
      32S	HOLE_1
    jne    11 <_ZN83_$LT$stencils..bodies..compare..IsEqImmediate$u20$as$u20$stencils..operation..S$GT$3run17ha469d2cf62ffdd08E+0x11>
      PLT32	TARGET_2-0x4
    jmp    16 <_ZN83_$LT$stencils..bodies..compare..IsEqImmediate$u20$as$u20$stencils..operation..S$GT$3run17ha469d2cf62ffdd08E+0x16>
      PLT32	CONT-0x4

IsFloat:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN75_$LT$stencils..bodies..tests..IsFloat$u20$as$u20$stencils..operation..S$GT$3run17h220318cd8c3b511aE+0x18>
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x18,%eax
    jne    27 <_ZN75_$LT$stencils..bodies..tests..IsFloat$u20$as$u20$stencils..operation..S$GT$3run17h220318cd8c3b511aE+0x27>
      PLT32	TARGET_1-0x4
    jmp    2c <_ZN75_$LT$stencils..bodies..tests..IsFloat$u20$as$u20$stencils..operation..S$GT$3run17h220318cd8c3b511aE+0x2c>
      PLT32	CONT-0x4

IsFunction:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN78_$LT$stencils..bodies..tests..IsFunction$u20$as$u20$stencils..operation..S$GT$3run17he70bd689dd82ed30E+0x18>
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0xa0,%r9d
    bt     %eax,%r9d
    jb     35 <_ZN78_$LT$stencils..bodies..tests..IsFunction$u20$as$u20$stencils..operation..S$GT$3run17he70bd689dd82ed30E+0x35>
      PLT32	CONT-0x4
    jmp    3a <_ZN78_$LT$stencils..bodies..tests..IsFunction$u20$as$u20$stencils..operation..S$GT$3run17he70bd689dd82ed30E+0x3a>
      PLT32	TARGET_1-0x4

IsGe:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a <_ZN75_$LT$stencils..bodies..compare..IsGe$u20$as$u20$stencils..operation..SS$GT$3run17h34c7c7f4864186d2E+0x2a>
    cmp    $0x0,%rax
      32S	HOLE_1
    jge    25 <_ZN75_$LT$stencils..bodies..compare..IsGe$u20$as$u20$stencils..operation..SS$GT$3run17h34c7c7f4864186d2E+0x25>
      PLT32	CONT-0x4
    jmp    2a <_ZN75_$LT$stencils..bodies..compare..IsGe$u20$as$u20$stencils..operation..SS$GT$3run17h34c7c7f4864186d2E+0x2a>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 31 <_ZN75_$LT$stencils..bodies..compare..IsGe$u20$as$u20$stencils..operation..SS$GT$3run17h34c7c7f4864186d2E+0x31>
      PC32	is_ge-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsInteger:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    je     17 <_ZN77_$LT$stencils..bodies..tests..IsInteger$u20$as$u20$stencils..operation..S$GT$3run17h33bc7aee2bf440b2E+0x17>
      PLT32	CONT-0x4
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    28 <_ZN77_$LT$stencils..bodies..tests..IsInteger$u20$as$u20$stencils..operation..S$GT$3run17h33bc7aee2bf440b2E+0x28>
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0xc,%r9d
    bt     %eax,%r9d
    jb     45 <_ZN77_$LT$stencils..bodies..tests..IsInteger$u20$as$u20$stencils..operation..S$GT$3run17h33bc7aee2bf440b2E+0x45>
      PLT32	CONT-0x4
    jmp    4a <_ZN77_$LT$stencils..bodies..tests..IsInteger$u20$as$u20$stencils..operation..S$GT$3run17h33bc7aee2bf440b2E+0x4a>
      PLT32	TARGET_1-0x4

IsList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    $0x3b,%rax
    je     11 <_ZN74_$LT$stencils..bodies..tests..IsList$u20$as$u20$stencils..operation..S$GT$3run17h43367dad4c5bc987E+0x11>
      PLT32	CONT-0x4
    and    $0x3,%eax
    cmp    $0x1,%eax
    jne    1d <_ZN74_$LT$stencils..bodies..tests..IsList$u20$as$u20$stencils..operation..S$GT$3run17h43367dad4c5bc987E+0x1d>
      PLT32	TARGET_1-0x4
    jmp    22 <_ZN74_$LT$stencils..bodies..tests..IsList$u20$as$u20$stencils..operation..S$GT$3run17h43367dad4c5bc987E+0x22>
      PLT32	CONT-0x4

IsLt:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    2a <_ZN75_$LT$stencils..bodies..compare..IsLt$u20$as$u20$stencils..operation..SS$GT$3run17h7dcfaf4d08fe0e2bE+0x2a>
    cmp    $0x0,%rax
      32S	HOLE_1
    jl     25 <_ZN75_$LT$stencils..bodies..compare..IsLt$u20$as$u20$stencils..operation..SS$GT$3run17h7dcfaf4d08fe0e2bE+0x25>
      PLT32	CONT-0x4
    jmp    2a <_ZN75_$LT$stencils..bodies..compare..IsLt$u20$as$u20$stencils..operation..SS$GT$3run17h7dcfaf4d08fe0e2bE+0x2a>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 31 <_ZN75_$LT$stencils..bodies..compare..IsLt$u20$as$u20$stencils..operation..SS$GT$3run17h7dcfaf4d08fe0e2bE+0x31>
      PC32	is_lt-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsMap:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN73_$LT$stencils..bodies..tests..IsMap$u20$as$u20$stencils..operation..S$GT$3run17h3f2b525cb675b07aE+0x18>
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x2c,%eax
    jne    27 <_ZN73_$LT$stencils..bodies..tests..IsMap$u20$as$u20$stencils..operation..S$GT$3run17h3f2b525cb675b07aE+0x27>
      PLT32	TARGET_1-0x4
    jmp    2c <_ZN73_$LT$stencils..bodies..tests..IsMap$u20$as$u20$stencils..operation..S$GT$3run17h3f2b525cb675b07aE+0x2c>
      PLT32	CONT-0x4

IsNeExact:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    cmp    %rax,%r9
    je     17 <_ZN80_$LT$stencils..bodies..compare..IsNeExact$u20$as$u20$stencils..operation..SS$GT$3run17h475596091c0e868bE+0x17>
      PLT32	TARGET_2-0x4
    mov    %r9d,%r10d
    not    %r10d
    test   $0x3,%r10b
    je     27 <_ZN80_$LT$stencils..bodies..compare..IsNeExact$u20$as$u20$stencils..operation..SS$GT$3run17h475596091c0e868bE+0x27>
      PLT32	CONT-0x4
    xor    %r9d,%eax
    test   $0x3,%al
    je     33 <_ZN80_$LT$stencils..bodies..compare..IsNeExact$u20$as$u20$stencils..operation..SS$GT$3run17h475596091c0e868bE+0x33>
    jmp    33 <_ZN80_$LT$stencils..bodies..compare..IsNeExact$u20$as$u20$stencils..operation..SS$GT$3run17h475596091c0e868bE+0x33>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 3a <_ZN80_$LT$stencils..bodies..compare..IsNeExact$u20$as$u20$stencils..operation..SS$GT$3run17h475596091c0e868bE+0x3a>
      PC32	is_ne_exact-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

IsNeImmediate:
    cmpq   $0x0,0x0(%rdi)
      32S	HOLE_0
      32S	HOLE_1
    je     11 <_ZN83_$LT$stencils..bodies..compare..IsNeImmediate$u20$as$u20$stencils..operation..S$GT$3run17hfb611f5949517301E+0x11>
      PLT32	TARGET_2-0x4
    jmp    16 <_ZN83_$LT$stencils..bodies..compare..IsNeImmediate$u20$as$u20$stencils..operation..S$GT$3run17hfb611f5949517301E+0x16>
      PLT32	CONT-0x4

IsNil:
    cmpq   $0x3b,0x0(%rdi)
      32S	HOLE_0
    jne    e <_ZN73_$LT$stencils..bodies..tests..IsNil$u20$as$u20$stencils..operation..S$GT$3run17h44be71413177bc19E+0xe>
      PLT32	TARGET_1-0x4
    jmp    13 <_ZN73_$LT$stencils..bodies..tests..IsNil$u20$as$u20$stencils..operation..S$GT$3run17h44be71413177bc19E+0x13>
      PLT32	CONT-0x4

IsNonemptyList:
    mov    0x0(%rdi),%eax
      32S	HOLE_0
    and    $0x3,%eax
    cmp    $0x1,%eax
    jne    12 <_ZN82_$LT$stencils..bodies..tests..IsNonemptyList$u20$as$u20$stencils..operation..S$GT$3run17h44d9ef14ed1cdfe3E+0x12>
      PLT32	TARGET_1-0x4
    jmp    17 <_ZN82_$LT$stencils..bodies..tests..IsNonemptyList$u20$as$u20$stencils..operation..S$GT$3run17h44d9ef14ed1cdfe3E+0x17>
      PLT32	CONT-0x4

IsNonemptyListGetList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x1,%r9d
    jne    18 <_ZN91_$LT$stencils..bodies..lists..IsNonemptyListGetList$u20$as$u20$stencils..operation..Sdd$GT$3run17h2564b16dbac1a8ccE+0x18>
      PLT32	TARGET_3-0x4
    mov    -0x1(%rax),%r9
    mov    0x7(%rax),%rax
    mov    %r9,0x0(%rdi)
      32S	HOLE_1
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    33 <_ZN91_$LT$stencils..bodies..lists..IsNonemptyListGetList$u20$as$u20$stencils..operation..Sdd$GT$3run17h2564b16dbac1a8ccE+0x33>
      PLT32	CONT-0x4

IsNumber:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    je     17 <_ZN76_$LT$stencils..bodies..tests..IsNumber$u20$as$u20$stencils..operation..S$GT$3run17h184893abbc189cd2E+0x17>
      PLT32	CONT-0x4
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    28 <_ZN76_$LT$stencils..bodies..tests..IsNumber$u20$as$u20$stencils..operation..S$GT$3run17h184893abbc189cd2E+0x28>
      PLT32	TARGET_1-0x4
    movzbl -0x2(%rax),%eax
    shr    $0x2,%al
    movzbl %al,%eax
    and    $0xf,%eax
    mov    $0x4c,%r9d
    bt     %eax,%r9d
    jb     45 <_ZN76_$LT$stencils..bodies..tests..IsNumber$u20$as$u20$stencils..operation..S$GT$3run17h184893abbc189cd2E+0x45>
      PLT32	CONT-0x4
    jmp    4a <_ZN76_$LT$stencils..bodies..tests..IsNumber$u20$as$u20$stencils..operation..S$GT$3run17h184893abbc189cd2E+0x4a>
      PLT32	TARGET_1-0x4

IsPid:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0xf,%r9d
    cmp    $0x3,%r9d
    je     18 <_ZN73_$LT$stencils..bodies..tests..IsPid$u20$as$u20$stencils..operation..S$GT$3run17h540f4bd3ecd067f8E+0x18>
      PLT32	CONT-0x4
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    29 <_ZN73_$LT$stencils..bodies..tests..IsPid$u20$as$u20$stencils..operation..S$GT$3run17h540f4bd3ecd067f8E+0x29>
      PLT32	TARGET_1-0x4
    mov    -0x2(%rax),%eax
    and    $0x3f,%eax
    cmp    $0x30,%eax
    je     38 <_ZN73_$LT$stencils..bodies..tests..IsPid$u20$as$u20$stencils..operation..S$GT$3run17h540f4bd3ecd067f8E+0x38>
      PLT32	CONT-0x4
    jmp    3d <_ZN73_$LT$stencils..bodies..tests..IsPid$u20$as$u20$stencils..operation..S$GT$3run17h540f4bd3ecd067f8E+0x3d>
      PLT32	TARGET_1-0x4

IsTaggedTuple:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r10d
    and    $0x3,%r10d
    mov    $0x1,%r9d
    cmp    $0x2,%r10d
    jne    1e <_ZN82_$LT$stencils..bodies..tuples..IsTaggedTuple$u20$as$u20$stencils..operation..S$GT$3run17h4974a766bd9e8ad5E+0x1e>
    mov    -0x2(%rax),%r9
    cmp    $0x0,%r9
      32S	HOLE_1
    jne    2b <_ZN82_$LT$stencils..bodies..tuples..IsTaggedTuple$u20$as$u20$stencils..operation..S$GT$3run17h4974a766bd9e8ad5E+0x2b>
      PLT32	TARGET_3-0x4
    cmpq   $0x0,0x6(%rax)
      32S	HOLE_2
    jne    39 <_ZN82_$LT$stencils..bodies..tuples..IsTaggedTuple$u20$as$u20$stencils..operation..S$GT$3run17h4974a766bd9e8ad5E+0x39>
      PLT32	TARGET_3-0x4
    jmp    3e <_ZN82_$LT$stencils..bodies..tuples..IsTaggedTuple$u20$as$u20$stencils..operation..S$GT$3run17h4974a766bd9e8ad5E+0x3e>
      PLT32	CONT-0x4

IsTuple:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    18 <_ZN76_$LT$stencils..bodies..tuples..IsTuple$u20$as$u20$stencils..operation..S$GT$3run17h2afedcb22bf398a1E+0x18>
      PLT32	TARGET_1-0x4
    testb  $0x3f,-0x2(%rax)
    jne    22 <_ZN76_$LT$stencils..bodies..tuples..IsTuple$u20$as$u20$stencils..operation..S$GT$3run17h2afedcb22bf398a1E+0x22>
      PLT32	TARGET_1-0x4
    jmp    27 <_ZN76_$LT$stencils..bodies..tuples..IsTuple$u20$as$u20$stencils..operation..S$GT$3run17h2afedcb22bf398a1E+0x27>
      PLT32	CONT-0x4

Jump:
    jmp    5 <_ZN72_$LT$stencils..bodies..tests..Jump$u20$as$u20$stencils..operation..P$GT$3run17h6c7f328070f08eedE+0x5>
      PLT32	TARGET_0-0x4

JumpTable:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    %r9,%rax
    sar    $0x4,%rax
    mov    $0x0,%r10d
      32	HOLE_2
    sub    %r10,%rax
    not    %r9d
    test   $0xf,%r9b
    setne  %r9b
    cmp    $0x0,%rax
      32S	HOLE_3
    setae  %r10b
    or     %r9b,%r10b
    jne    35 <_ZN78_$LT$stencils..bodies..select..JumpTable$u20$as$u20$stencils..operation..S$GT$3run17h8b97a48b24bd387fE+0x35>
      PLT32	TARGET_1-0x4
    mov    0x0(,%rax,8),%r9
      32S	RECORD+0x28
    mov    (%r9),%rax
    jmp    *%rax

Length:
    lea    0x0(%rdi),%r9
      32S	HOLE_0
    mov    $0x3f,%eax
    nopl   0x0(%rax)
    mov    (%r9),%r9
    mov    %r9d,%r10d
    and    $0x3,%r10d
    cmp    $0x1,%r10d
    jne    65 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x65>
    mov    0x7(%r9),%r9
    mov    %r9d,%r10d
    and    $0x3,%r10d
    cmp    $0x1,%r10d
    jne    71 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x71>
    mov    0x7(%r9),%r9
    mov    %r9d,%r10d
    and    $0x3,%r10d
    cmp    $0x1,%r10d
    jne    87 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x87>
    mov    0x7(%r9),%r9
    mov    %r9d,%r10d
    and    $0x3,%r10d
    cmp    $0x1,%r10d
    jne    75 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x75>
    add    $0x7,%r9
    add    $0x40,%rax
    cmp    $0x103f,%rax
    jne    10 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x10>
    jmp    91 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x91>
    add    $0xffffffffffffffd0,%rax
    cmp    $0x3b,%r9
    je     7b <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x7b>
    jmp    91 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x91>
    add    $0xffffffffffffffe0,%rax
    cmp    $0x3b,%r9
    jne    91 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x91>
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    87 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x87>
      PLT32	CONT-0x4
    add    $0xfffffffffffffff0,%rax
    cmp    $0x3b,%r9
    je     7b <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x7b>
    mov    0x0(%rip),%rax        # 98 <_ZN76_$LT$stencils..bodies..guards..Length$u20$as$u20$stencils..operation..SD$GT$3run17h0afa1b2b05005978E+0x98>
      PC32	guard1-0x4
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
    jne    3a <_ZN75_$LT$stencils..bodies..guards..Less$u20$as$u20$stencils..operation..Ssd$GT$3run17hb5d66277c76796a4E+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x11dcb,%eax
    mov    $0x7dcb,%r9d
    cmovl  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN75_$LT$stencils..bodies..guards..Less$u20$as$u20$stencils..operation..Ssd$GT$3run17hb5d66277c76796a4E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN75_$LT$stencils..bodies..guards..Less$u20$as$u20$stencils..operation..Ssd$GT$3run17hb5d66277c76796a4E+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

LoopRec:
    mov    (%r8),%r9
    mov    0x18(%r9),%rax
    mov    (%rax),%rax
    test   %rax,%rax
    je     29 <_ZN78_$LT$stencils..bodies..messages..LoopRec$u20$as$u20$stencils..operation..D$GT$3run17h2c3ced75b03f94bfE+0x29>
    testb  $0x4,0x9c(%r9)
    jne    29 <_ZN78_$LT$stencils..bodies..messages..LoopRec$u20$as$u20$stencils..operation..D$GT$3run17h2c3ced75b03f94bfE+0x29>
    mov    0x10(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_0
    jmp    29 <_ZN78_$LT$stencils..bodies..messages..LoopRec$u20$as$u20$stencils..operation..D$GT$3run17h2c3ced75b03f94bfE+0x29>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 30 <_ZN78_$LT$stencils..bodies..messages..LoopRec$u20$as$u20$stencils..operation..D$GT$3run17h2c3ced75b03f94bfE+0x30>
      PC32	loop_rec-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

LoopRecEnd:
    mov    (%r8),%rax
    mov    0x18(%rax),%r9
    mov    (%r9),%r9
    mov    %r9,0x18(%rax)
    dec    %rcx
    js     18 <_ZN81_$LT$stencils..bodies..messages..LoopRecEnd$u20$as$u20$stencils..operation..P$GT$3run17h4b6f245d8ec6d178E+0x18>
    jmp    18 <_ZN81_$LT$stencils..bodies..messages..LoopRecEnd$u20$as$u20$stencils..operation..P$GT$3run17h4b6f245d8ec6d178E+0x18>
      PLT32	TARGET_0-0x4
    mov    0x0(%rip),%rax        # 1f <_ZN81_$LT$stencils..bodies..messages..LoopRecEnd$u20$as$u20$stencils..operation..P$GT$3run17h4b6f245d8ec6d178E+0x1f>
      PC32	yield_at_label-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

MapSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    3a <_ZN77_$LT$stencils..bodies..guards..MapSize$u20$as$u20$stencils..operation..SD$GT$3run17h1b10c631a19e0084E+0x3a>
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x2c,%r9d
    jne    3a <_ZN77_$LT$stencils..bodies..guards..MapSize$u20$as$u20$stencils..operation..SD$GT$3run17h1b10c631a19e0084E+0x3a>
    mov    0x6(%rax),%rax
    shl    $0x4,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    3a <_ZN77_$LT$stencils..bodies..guards..MapSize$u20$as$u20$stencils..operation..SD$GT$3run17h1b10c631a19e0084E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN77_$LT$stencils..bodies..guards..MapSize$u20$as$u20$stencils..operation..SD$GT$3run17h1b10c631a19e0084E+0x41>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

MatchBits:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0xe(%r9),%r11
    lea    0x0(%r11),%r10
      32S	HOLE_2
    cmp    0x16(%r9),%r10
    ja     1c <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x1c>
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
    and    0x0(%rip),%r11        # 48 <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x48>
      PC32	RECORD+0x1c
    cmp    0x0(%rip),%r11        # 4f <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x4f>
      PC32	RECORD+0x24
    jne    5d <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x5d>
    mov    %r10,0xe(%r9)
    mov    %rax,%rcx
    jmp    5d <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x5d>
      PLT32	CONT-0x4
    mov    %rax,%rcx
    jmp    65 <_ZN80_$LT$stencils..bodies..binaries..MatchBits$u20$as$u20$stencils..operation..S$GT$3run17hd708a7fc475264cdE+0x65>
      PLT32	TARGET_1-0x4

Move:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    jmp    10 <_ZN73_$LT$stencils..bodies..moves..Move$u20$as$u20$stencils..operation..SD$GT$3run17h8e2a146e3b7ee177E+0x10>
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
    jmp    21 <_ZN73_$LT$stencils..bodies..moves..Move2$u20$as$u20$stencils..operation..P$GT$3run17h3bfdfd9ccd4b49c0E+0x21>
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
    jmp    21 <_ZN75_$LT$stencils..bodies..moves..Move2XY$u20$as$u20$stencils..operation..P$GT$3run17h4b77585084f0c866E+0x21>
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
    jmp    21 <_ZN75_$LT$stencils..bodies..moves..Move2YX$u20$as$u20$stencils..operation..P$GT$3run17h162334051e4c6496E+0x21>
      PLT32	CONT-0x4

MoveCall:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    movq   $0x0,-0x8(%rsi)
      32S	RECORD+0x20
    add    $0xfffffffffffffff8,%rsi
    dec    %rcx
    js     21 <_ZN76_$LT$stencils..bodies..calls..MoveCall$u20$as$u20$stencils..operation..S$GT$3run17h075feb20ba9a0275E+0x21>
    jmp    21 <_ZN76_$LT$stencils..bodies..calls..MoveCall$u20$as$u20$stencils..operation..S$GT$3run17h075feb20ba9a0275E+0x21>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 28 <_ZN76_$LT$stencils..bodies..calls..MoveCall$u20$as$u20$stencils..operation..S$GT$3run17h075feb20ba9a0275E+0x28>
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
    js     1c <_ZN80_$LT$stencils..bodies..calls..MoveCallLast$u20$as$u20$stencils..operation..S$GT$3run17hf72b4e2db715b09dE+0x1c>
    jmp    1c <_ZN80_$LT$stencils..bodies..calls..MoveCallLast$u20$as$u20$stencils..operation..S$GT$3run17hf72b4e2db715b09dE+0x1c>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 23 <_ZN80_$LT$stencils..bodies..calls..MoveCallLast$u20$as$u20$stencils..operation..S$GT$3run17hf72b4e2db715b09dE+0x23>
      PC32	preempt-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    jmp    *%rax

MoveCallOnly:
    movq   $0x0,0x0(%rdi)
      32S	HOLE_1
      32S	HOLE_0
    dec    %rcx
    js     15 <_ZN80_$LT$stencils..bodies..calls..MoveCallOnly$u20$as$u20$stencils..operation..S$GT$3run17h4fb715f6edc16c9eE+0x15>
    jmp    15 <_ZN80_$LT$stencils..bodies..calls..MoveCallOnly$u20$as$u20$stencils..operation..S$GT$3run17h4fb715f6edc16c9eE+0x15>
      PLT32	TARGET_2-0x4
    mov    0x0(%rip),%rax        # 1c <_ZN80_$LT$stencils..bodies..calls..MoveCallOnly$u20$as$u20$stencils..operation..S$GT$3run17h4fb715f6edc16c9eE+0x1c>
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
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    mov    %r9d,%r10d
    and    %eax,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    2b <_ZN78_$LT$stencils..bodies..arith..Multiply$u20$as$u20$stencils..operation..Ssd$GT$3run17h1165fc5b746aecb6E+0x2b>
    and    $0xfffffffffffffff0,%r9
    sar    $0x4,%rax
    imul   %r9,%rax
    jno    3a <_ZN78_$LT$stencils..bodies..arith..Multiply$u20$as$u20$stencils..operation..Ssd$GT$3run17h1165fc5b746aecb6E+0x3a>
    mov    0x0(%rip),%rax        # 32 <_ZN78_$LT$stencils..bodies..arith..Multiply$u20$as$u20$stencils..operation..Ssd$GT$3run17h1165fc5b746aecb6E+0x32>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_2-0x4
    jmp    4a <_ZN78_$LT$stencils..bodies..arith..Multiply$u20$as$u20$stencils..operation..Ssd$GT$3run17h1165fc5b746aecb6E+0x4a>
      PLT32	CONT-0x4

Not:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    cmp    $0x7dcb,%rax
    je     28 <_ZN73_$LT$stencils..bodies..guards..Not$u20$as$u20$stencils..operation..SD$GT$3run17h12ecc2a872c29b3bE+0x28>
    cmp    $0x11dcb,%rax
    jne    39 <_ZN73_$LT$stencils..bodies..guards..Not$u20$as$u20$stencils..operation..SD$GT$3run17h12ecc2a872c29b3bE+0x39>
    mov    $0x7dcb,%eax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    28 <_ZN73_$LT$stencils..bodies..guards..Not$u20$as$u20$stencils..operation..SD$GT$3run17h12ecc2a872c29b3bE+0x28>
      PLT32	CONT-0x4
    mov    $0x11dcb,%eax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    39 <_ZN73_$LT$stencils..bodies..guards..Not$u20$as$u20$stencils..operation..SD$GT$3run17h12ecc2a872c29b3bE+0x39>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 40 <_ZN73_$LT$stencils..bodies..guards..Not$u20$as$u20$stencils..operation..SD$GT$3run17h12ecc2a872c29b3bE+0x40>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotEqual:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a <_ZN79_$LT$stencils..bodies..guards..NotEqual$u20$as$u20$stencils..operation..Ssd$GT$3run17h3d6cc6009d4bc01bE+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x7dcb,%eax
    mov    $0x11dcb,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN79_$LT$stencils..bodies..guards..NotEqual$u20$as$u20$stencils..operation..Ssd$GT$3run17h3d6cc6009d4bc01bE+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN79_$LT$stencils..bodies..guards..NotEqual$u20$as$u20$stencils..operation..Ssd$GT$3run17h3d6cc6009d4bc01bE+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotGreater:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a <_ZN81_$LT$stencils..bodies..guards..NotGreater$u20$as$u20$stencils..operation..Ssd$GT$3run17hb670fe50ffd52585E+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x7dcb,%eax
    mov    $0x11dcb,%r9d
    cmovg  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN81_$LT$stencils..bodies..guards..NotGreater$u20$as$u20$stencils..operation..Ssd$GT$3run17hb670fe50ffd52585E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN81_$LT$stencils..bodies..guards..NotGreater$u20$as$u20$stencils..operation..Ssd$GT$3run17hb670fe50ffd52585E+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotLess:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    $0x0,%r9d
      32	HOLE_1
    and    %eax,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    3a <_ZN78_$LT$stencils..bodies..guards..NotLess$u20$as$u20$stencils..operation..Ssd$GT$3run17h4ed897e481155ac8E+0x3a>
    cmp    $0x0,%rax
      32S	HOLE_1
    mov    $0x7dcb,%eax
    mov    $0x11dcb,%r9d
    cmovl  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    3a <_ZN78_$LT$stencils..bodies..guards..NotLess$u20$as$u20$stencils..operation..Ssd$GT$3run17h4ed897e481155ac8E+0x3a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 41 <_ZN78_$LT$stencils..bodies..guards..NotLess$u20$as$u20$stencils..operation..Ssd$GT$3run17h4ed897e481155ac8E+0x41>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

NotSame:
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    $0x7dcb,%eax
    cmp    %r9,%r10
    je     32 <_ZN78_$LT$stencils..bodies..guards..NotSame$u20$as$u20$stencils..operation..Ssd$GT$3run17h06b5397130af6576E+0x32>
    mov    %r10d,%r11d
    not    %r11d
    mov    $0x11dcb,%eax
    test   $0x3,%r11b
    je     32 <_ZN78_$LT$stencils..bodies..guards..NotSame$u20$as$u20$stencils..operation..Ssd$GT$3run17h06b5397130af6576E+0x32>
    xor    %r10d,%r9d
    test   $0x3,%r9b
    je     3e <_ZN78_$LT$stencils..bodies..guards..NotSame$u20$as$u20$stencils..operation..Ssd$GT$3run17h06b5397130af6576E+0x3e>
    mov    %rax,0x0(%rdi)
      32S	HOLE_2
    jmp    3e <_ZN78_$LT$stencils..bodies..guards..NotSame$u20$as$u20$stencils..operation..Ssd$GT$3run17h06b5397130af6576E+0x3e>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 45 <_ZN78_$LT$stencils..bodies..guards..NotSame$u20$as$u20$stencils..operation..Ssd$GT$3run17h06b5397130af6576E+0x45>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

PutElement:
    movq   $0x0,0x0(%rdx)
      32S	HOLE_1
      32S	HOLE_0
    jmp    10 <_ZN79_$LT$stencils..bodies..tuples..PutElement$u20$as$u20$stencils..operation..S$GT$3run17h7c6780213a3f565fE+0x10>
      PLT32	CONT-0x4

PutHeader:
    movq   $0x0,0x0(%rdx)
      32S	HOLE_0
      32S	HOLE_1
    jmp    10 <_ZN78_$LT$stencils..bodies..tuples..PutHeader$u20$as$u20$stencils..operation..P$GT$3run17h148ad814f26c5427E+0x10>
      PLT32	CONT-0x4

PutList:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,(%rdx)
    movq   $0x0,0x8(%rdx)
      32S	HOLE_1
    lea    0x10(%rdx),%rax
    or     $0x1,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    29 <_ZN77_$LT$stencils..bodies..lists..PutList$u20$as$u20$stencils..operation..Ssd$GT$3run17h924d3993b031a9d4E+0x29>
      PLT32	CONT-0x4

PutTuple2:
    movq   $0x80,(%rdx)
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %rax,0x8(%rdx)
    movq   $0x0,0x10(%rdx)
      32S	HOLE_1
    lea    0x18(%rdx),%rax
    or     $0x2,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rdx
    jmp    31 <_ZN80_$LT$stencils..bodies..tuples..PutTuple2$u20$as$u20$stencils..operation..Ssd$GT$3run17hf7be22b9e4ffecf7E+0x31>
      PLT32	CONT-0x4

Remainder:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r10
      32S	HOLE_1
    mov    %eax,%r9d
    and    %r10d,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    45 <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x45>
    sar    $0x4,%r10
    lea    -0x1(%r10),%r9
    cmp    $0xfffffffffffffffe,%r9
    jae    45 <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x45>
    mov    %rdx,%r9
    sar    $0x4,%rax
    mov    %rax,%rdx
    or     %r10,%rdx
    shr    $0x20,%rdx
    je     54 <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x54>
    cqto
    idiv   %r10
    jmp    59 <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x59>
    mov    0x0(%rip),%rax        # 4c <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x4c>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    xor    %edx,%edx
    div    %r10d
    shl    $0x4,%rdx
    or     $0xf,%rdx
    mov    %rdx,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rdx
    jmp    70 <_ZN79_$LT$stencils..bodies..arith..Remainder$u20$as$u20$stencils..operation..Ssd$GT$3run17h87dbb77373be0442E+0x70>
      PLT32	CONT-0x4

Return:
    mov    (%rsi),%r9
    add    $0x8,%rsi
    mov    (%r9),%rax
    jmp    *%rax

Same:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    cmp    %r9,%rax
    je     2c <_ZN75_$LT$stencils..bodies..guards..Same$u20$as$u20$stencils..operation..Ssd$GT$3run17h007d493eba1539c2E+0x2c>
    mov    %eax,%r10d
    and    $0x3,%r10d
    cmp    $0x3,%r10d
    je     2c <_ZN75_$LT$stencils..bodies..guards..Same$u20$as$u20$stencils..operation..Ssd$GT$3run17h007d493eba1539c2E+0x2c>
    mov    %r9d,%r10d
    xor    %eax,%r10d
    test   $0x3,%r10b
    je     4a <_ZN75_$LT$stencils..bodies..guards..Same$u20$as$u20$stencils..operation..Ssd$GT$3run17h007d493eba1539c2E+0x4a>
    cmp    %r9,%rax
    mov    $0x11dcb,%eax
    mov    $0x7dcb,%r9d
    cmove  %rax,%r9
    mov    %r9,0x0(%rdi)
      32S	HOLE_2
    jmp    4a <_ZN75_$LT$stencils..bodies..guards..Same$u20$as$u20$stencils..operation..Ssd$GT$3run17h007d493eba1539c2E+0x4a>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 51 <_ZN75_$LT$stencils..bodies..guards..Same$u20$as$u20$stencils..operation..Ssd$GT$3run17h007d493eba1539c2E+0x51>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

SelectTupleArity:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r10d
    and    $0x3,%r10d
    mov    $0x1,%r9d
    cmp    $0x2,%r10d
    jne    1e <_ZN85_$LT$stencils..bodies..select..SelectTupleArity$u20$as$u20$stencils..operation..S$GT$3run17h9260793fb6e0095eE+0x1e>
    mov    -0x2(%rax),%r9
    mov    $0x0,%r10d
      32	HOLE_2
    cmp    $0x1,%r10
    adc    $0x0,%r10
    xor    %eax,%eax
    xchg   %ax,%ax
    cmp    %r9,0x0(,%rax,8)
      32S	RECORD+0x20
    je     45 <_ZN85_$LT$stencils..bodies..select..SelectTupleArity$u20$as$u20$stencils..operation..S$GT$3run17h9260793fb6e0095eE+0x45>
    inc    %rax
    cmp    %rax,%r10
    jne    30 <_ZN85_$LT$stencils..bodies..select..SelectTupleArity$u20$as$u20$stencils..operation..S$GT$3run17h9260793fb6e0095eE+0x30>
    mov    %r10,%rax
    cmp    $0x0,%rax
      32S	HOLE_2
    je     51 <_ZN85_$LT$stencils..bodies..select..SelectTupleArity$u20$as$u20$stencils..operation..S$GT$3run17h9260793fb6e0095eE+0x51>
      PLT32	TARGET_1-0x4
    mov    $0x0,%r9d
      32	HOLE_2
    shl    $0x3,%r9
    mov    0x0(%r9,%rax,8),%r9
      32S	RECORD+0x20
    mov    (%r9),%rax
    jmp    *%rax

SelectValue:
    push   %rbx
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    $0x0,%r10d
      32	HOLE_2
    xor    %eax,%eax
    cmp    $0x2,%r10
    jae    49 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x49>
    cmp    %r9,0x0(,%rax,8)
      32S	RECORD+0x20
    setne  %r9b
    cmp    $0x0,%rax
      32S	HOLE_2
    sete   %r10b
    or     %r9b,%r10b
    je     62 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x62>
    pop    %rbx
    jmp    37 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x37>
      PLT32	TARGET_1-0x4
    nopw   0x0(%rax,%rax,1)
    sub    %r11,%r10
    cmp    $0x1,%r10
    jbe    16 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x16>
    mov    %r10,%r11
    shr    %r11
    lea    (%rax,%r11,1),%rbx
    cmp    %r9,0x0(,%rbx,8)
      32S	RECORD+0x20
    ja     40 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x40>
    mov    %rbx,%rax
    jmp    40 <_ZN80_$LT$stencils..bodies..select..SelectValue$u20$as$u20$stencils..operation..S$GT$3run17h5415c8dea8f994b9E+0x40>
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
    je     13 <_ZN81_$LT$stencils..bodies..select..SelectValue2$u20$as$u20$stencils..operation..S$GT$3run17hd494bef50fbb7112E+0x13>
      PLT32	TARGET_3-0x4
    cmp    $0x0,%rax
      32S	HOLE_4
    je     1f <_ZN81_$LT$stencils..bodies..select..SelectValue2$u20$as$u20$stencils..operation..S$GT$3run17hd494bef50fbb7112E+0x1f>
      PLT32	TARGET_5-0x4
    jmp    24 <_ZN81_$LT$stencils..bodies..select..SelectValue2$u20$as$u20$stencils..operation..S$GT$3run17hd494bef50fbb7112E+0x24>
      PLT32	TARGET_1-0x4

SelfPid:
    mov    (%r8),%rax
    mov    0x28(%rax),%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_0
    jmp    13 <_ZN75_$LT$stencils..bodies..calls..SelfPid$u20$as$u20$stencils..operation..D$GT$3run17h738e0369c8f95392E+0x13>
      PLT32	CONT-0x4

SetElement:
    mov    0x8(%rdi),%rax
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    53 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x53>
    mov    (%rdi),%r10
    mov    %r10d,%r9d
    not    %r9d
    test   $0xf,%r9b
    jne    53 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x53>
    mov    -0x2(%rax),%r9
    mov    %r9d,%r11d
    and    $0x3f,%r11d
    jne    53 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x53>
    sar    $0x4,%r10
    dec    %r10
    mov    %r9,%r11
    shr    $0x6,%r11
    cmp    %r11,%r10
    jae    53 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x53>
    shr    $0x3,%r9
    mov    %rsi,%r10
    sub    %rdx,%r10
    lea    0x28(%r9),%r11
    cmp    %r10,%r11
    jle    62 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x62>
    mov    0x0(%rip),%rax        # 5a <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x5a>
      PC32	call_bif-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %r9,%r10
    data16 cs nopw 0x0(%rax,%rax,1)
    mov    -0x2(%rax,%r10,1),%r11
    mov    %r11,(%rdx,%r10,1)
    add    $0xfffffffffffffff8,%r10
    cmp    $0xfffffffffffffff8,%r10
    jne    70 <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0x70>
    dec    %rcx
    mov    (%rdi),%rax
    mov    0x10(%rdi),%r10
    sar    $0x4,%rax
    mov    %r10,(%rdx,%rax,8)
    lea    (%rdx,%r9,1),%rax
    add    $0x8,%rax
    or     $0x2,%rdx
    mov    %rdx,(%rdi)
    mov    %rax,%rdx
    jmp    ac <_ZN79_$LT$stencils..bodies..tuples..SetElement$u20$as$u20$stencils..operation..P$GT$3run17h9e8491ff8e28a491E+0xac>
      PLT32	CONT-0x4

SetTupleElement:
    mov    0x0(%rdi),%rax
      32S	HOLE_1
    movq   $0x0,0x0(%rax)
      32S	HOLE_2
      32S	HOLE_0
    jmp    17 <_ZN85_$LT$stencils..bodies..tuples..SetTupleElement$u20$as$u20$stencils..operation..SS$GT$3run17h6d74984ed50c3acfE+0x17>
      PLT32	CONT-0x4

ShiftLeft:
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %r10d,%eax
    and    %r9d,%eax
    not    %eax
    test   $0xf,%al
    jne    24 <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x24>
    sar    $0x4,%r9
    cmp    $0x3b,%r9
    jbe    33 <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x33>
    mov    0x0(%rip),%rax        # 2b <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x2b>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    push   %rbx
    mov    %rcx,%rax
    and    $0xfffffffffffffff0,%r10
    mov    %r10,%r11
    mov    %r9d,%ecx
    shl    %cl,%r11
    mov    %r11,%rbx
    sar    %cl,%rbx
    cmp    %r10,%rbx
    pop    %rbx
    jne    63 <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x63>
    or     $0xf,%r11
    mov    %r11,0x0(%rdi)
      32S	HOLE_2
    mov    %rax,%rcx
    jmp    63 <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x63>
      PLT32	CONT-0x4
    mov    0x0(%rip),%r11        # 6a <_ZN79_$LT$stencils..bodies..arith..ShiftLeft$u20$as$u20$stencils..operation..Ssd$GT$3run17ha6a3370d0de6ccc4E+0x6a>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    mov    %rax,%rcx
    jmp    *%r11

ShiftRight:
    mov    0x0(%rdi),%r10
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %r10d,%eax
    and    %r9d,%eax
    not    %eax
    test   $0xf,%al
    jne    48 <_ZN80_$LT$stencils..bodies..arith..ShiftRight$u20$as$u20$stencils..operation..Ssd$GT$3run17hc589fb8ab8a1113fE+0x48>
    sar    $0x4,%r9
    js     48 <_ZN80_$LT$stencils..bodies..arith..ShiftRight$u20$as$u20$stencils..operation..Ssd$GT$3run17hc589fb8ab8a1113fE+0x48>
    cmp    $0x3f,%r9
    mov    $0x3f,%eax
    cmovb  %r9,%rax
    mov    %rcx,%r9
    mov    %eax,%ecx
    sar    %cl,%r10
    or     $0xf,%r10
    mov    %r10,0x0(%rdi)
      32S	HOLE_2
    mov    %r9,%rcx
    jmp    48 <_ZN80_$LT$stencils..bodies..arith..ShiftRight$u20$as$u20$stencils..operation..Ssd$GT$3run17hc589fb8ab8a1113fE+0x48>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 4f <_ZN80_$LT$stencils..bodies..arith..ShiftRight$u20$as$u20$stencils..operation..Ssd$GT$3run17hc589fb8ab8a1113fE+0x4f>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

SkipBits:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0xe(%rax),%r9
    mov    0x16(%rax),%r10
    sub    %r9,%r10
    cmp    $0x0,%r10
      32S	HOLE_2
    jb     1f <_ZN79_$LT$stencils..bodies..binaries..SkipBits$u20$as$u20$stencils..operation..S$GT$3run17h6bbe15960dde8238E+0x1f>
      PLT32	TARGET_1-0x4
    lea    0x0(%r9),%r9
      32S	HOLE_2
    mov    %r9,0xe(%rax)
    jmp    2f <_ZN79_$LT$stencils..bodies..binaries..SkipBits$u20$as$u20$stencils..operation..S$GT$3run17h6bbe15960dde8238E+0x2f>
      PLT32	CONT-0x4

StartMatch:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    2e <_ZN82_$LT$stencils..bodies..binaries..StartMatch$u20$as$u20$stencils..operation..SD$GT$3run17h4b407e535d7717aeE+0x2e>
    mov    -0x2(%rax),%r9d
    and    $0x3f,%r9d
    cmp    $0x4,%r9d
    jne    2e <_ZN82_$LT$stencils..bodies..binaries..StartMatch$u20$as$u20$stencils..operation..SD$GT$3run17h4b407e535d7717aeE+0x2e>
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    2e <_ZN82_$LT$stencils..bodies..binaries..StartMatch$u20$as$u20$stencils..operation..SD$GT$3run17h4b407e535d7717aeE+0x2e>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 35 <_ZN82_$LT$stencils..bodies..binaries..StartMatch$u20$as$u20$stencils..operation..SD$GT$3run17h4b407e535d7717aeE+0x35>
      PC32	start_match-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

Subtract:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x0(%rdi),%r9
      32S	HOLE_1
    mov    %eax,%r10d
    and    %r9d,%r10d
    not    %r10d
    test   $0xf,%r10b
    jne    26 <_ZN78_$LT$stencils..bodies..arith..Subtract$u20$as$u20$stencils..operation..Ssd$GT$3run17h4e46e25e25dc21f4E+0x26>
    and    $0xfffffffffffffff0,%r9
    sub    %r9,%rax
    jno    35 <_ZN78_$LT$stencils..bodies..arith..Subtract$u20$as$u20$stencils..operation..Ssd$GT$3run17h4e46e25e25dc21f4E+0x35>
    mov    0x0(%rip),%rax        # 2d <_ZN78_$LT$stencils..bodies..arith..Subtract$u20$as$u20$stencils..operation..Ssd$GT$3run17h4e46e25e25dc21f4E+0x2d>
      PC32	guard2-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_2-0x4
    jmp    41 <_ZN78_$LT$stencils..bodies..arith..Subtract$u20$as$u20$stencils..operation..Ssd$GT$3run17h4e46e25e25dc21f4E+0x41>
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
    jmp    21 <_ZN74_$LT$stencils..bodies..moves..SwapXX$u20$as$u20$stencils..operation..P$GT$3run17h092292e4b9dc7215E+0x21>
      PLT32	CONT-0x4

Tail:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x1,%r9d
    jne    24 <_ZN74_$LT$stencils..bodies..guards..Tail$u20$as$u20$stencils..operation..SD$GT$3run17h366812c424c2f30aE+0x24>
    mov    0x7(%rax),%rax
    mov    %rax,0x0(%rsi)
      32S	HOLE_1-0x4
    jmp    24 <_ZN74_$LT$stencils..bodies..guards..Tail$u20$as$u20$stencils..operation..SD$GT$3run17h366812c424c2f30aE+0x24>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 2b <_ZN74_$LT$stencils..bodies..guards..Tail$u20$as$u20$stencils..operation..SD$GT$3run17h366812c424c2f30aE+0x2b>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

TestArity:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r10d
    and    $0x3,%r10d
    mov    $0x1,%r9d
    cmp    $0x2,%r10d
    jne    1e <_ZN78_$LT$stencils..bodies..tuples..TestArity$u20$as$u20$stencils..operation..S$GT$3run17h0bf92bb1c063c399E+0x1e>
    mov    -0x2(%rax),%r9
    cmp    $0x0,%r9
      32S	HOLE_1
    jne    2b <_ZN78_$LT$stencils..bodies..tuples..TestArity$u20$as$u20$stencils..operation..S$GT$3run17h0bf92bb1c063c399E+0x2b>
      PLT32	TARGET_2-0x4
    jmp    30 <_ZN78_$LT$stencils..bodies..tuples..TestArity$u20$as$u20$stencils..operation..S$GT$3run17h0bf92bb1c063c399E+0x30>
      PLT32	CONT-0x4

TestHeap:
    mov    %rsi,%rax
    sub    %rdx,%rax
    cmp    $0x0,%rax
      32S	HOLE_0+0x20
    jge    12 <_ZN76_$LT$stencils..bodies..moves..TestHeap$u20$as$u20$stencils..operation..P$GT$3run17h0ee6f4a54e034fb4E+0x12>
      PLT32	CONT-0x4
    mov    0x0(%rip),%rax        # 19 <_ZN76_$LT$stencils..bodies..moves..TestHeap$u20$as$u20$stencils..operation..P$GT$3run17h0ee6f4a54e034fb4E+0x19>
      PC32	test_heap-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax

TestTail:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    0x16(%rax),%r9
    sub    0xe(%rax),%r9
    cmp    $0x0,%r9
      32S	HOLE_2
    jne    1c <_ZN79_$LT$stencils..bodies..binaries..TestTail$u20$as$u20$stencils..operation..S$GT$3run17h0ce577db2b377556E+0x1c>
      PLT32	TARGET_1-0x4
    jmp    21 <_ZN79_$LT$stencils..bodies..binaries..TestTail$u20$as$u20$stencils..operation..S$GT$3run17h0ce577db2b377556E+0x21>
      PLT32	CONT-0x4

TestUnit:
    mov    0x0(%rdi),%r9
      32S	HOLE_0
    mov    0x16(%r9),%rax
    sub    0xe(%r9),%rax
    mov    $0x0,%r10d
      32	HOLE_2
    cmp    $0x8,%r10
    jne    20 <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x20>
    and    $0x7,%eax
    jmp    4c <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x4c>
    mov    %rdx,%r9
    or     %rax,%r10
    shr    $0x20,%r10
    je     3c <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x3c>
    mov    $0x0,%r10d
      32	HOLE_2
    xor    %edx,%edx
    div    %r10
    mov    %rdx,%rax
    jmp    49 <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x49>
    mov    $0x0,%r10d
      32	HOLE_2
    xor    %edx,%edx
    div    %r10d
    mov    %edx,%eax
    mov    %r9,%rdx
    test   %rax,%rax
    je     55 <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x55>
      PLT32	CONT-0x4
    jmp    5a <_ZN79_$LT$stencils..bodies..binaries..TestUnit$u20$as$u20$stencils..operation..S$GT$3run17h12ba1a768d227d36E+0x5a>
      PLT32	TARGET_1-0x4

TryCase:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    movups 0x8(%rdi),%xmm0
    movups %xmm0,(%rdi)
    mov    0x18(%rdi),%rax
    mov    %rax,0x10(%rdi)
    jmp    25 <_ZN80_$LT$stencils..bodies..exceptions..TryCase$u20$as$u20$stencils..operation..P$GT$3run17haba9960149d1f63aE+0x25>
      PLT32	CONT-0x4

TryEnd:
    mov    (%r8),%rax
    decl   0x34(%rax)
    movq   $0x3b,0x0(%rsi)
      32S	HOLE_0-0x4
    jmp    16 <_ZN79_$LT$stencils..bodies..exceptions..TryEnd$u20$as$u20$stencils..operation..P$GT$3run17hc96b8ac5fc814879E+0x16>
      PLT32	CONT-0x4

TupleSize:
    mov    0x0(%rdi),%rax
      32S	HOLE_0
    mov    %eax,%r9d
    and    $0x3,%r9d
    cmp    $0x2,%r9d
    jne    1c <_ZN79_$LT$stencils..bodies..guards..TupleSize$u20$as$u20$stencils..operation..SD$GT$3run17h42d545ab2d8cfb98E+0x1c>
    mov    -0x2(%rax),%rax
    test   $0x3f,%al
    je     2b <_ZN79_$LT$stencils..bodies..guards..TupleSize$u20$as$u20$stencils..operation..SD$GT$3run17h42d545ab2d8cfb98E+0x2b>
    mov    0x0(%rip),%rax        # 23 <_ZN79_$LT$stencils..bodies..guards..TupleSize$u20$as$u20$stencils..operation..SD$GT$3run17h42d545ab2d8cfb98E+0x23>
      PC32	guard1-0x4
    mov    $0x0,%r9d
      32	RECORD
    jmp    *%rax
    shr    $0x2,%rax
    or     $0xf,%rax
    mov    %rax,0x0(%rdi)
      32S	HOLE_1
    jmp    3f <_ZN79_$LT$stencils..bodies..guards..TupleSize$u20$as$u20$stencils..operation..SD$GT$3run17h42d545ab2d8cfb98E+0x3f>
      PLT32	CONT-0x4
