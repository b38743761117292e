/* SPDX-License-Identifier: MIT */
/*
 * A 32-bit process without a C library: says "ready", then sleeps and computes in turn. It ends with
 * status 1 as soon as a register differs from what it put there.
 */
	.code32
	.text
	.globl _start
_start:
	movl $4, %eax			/* write(1, ready, 6) */
	movl $1, %ebx
	movl $ready, %ecx
	movl $6, %edx
	int $0x80
again:
	movl $162, %eax			/* nanosleep(moment, NULL) */
	movl $moment, %ebx
	xorl %ecx, %ecx
	movl $0x11111111, %edx
	movl $0x22222222, %esi
	movl $0x33333333, %edi
	movl $0x44444444, %ebp
	int $0x80
	testl %eax, %eax
	jnz wrong
	cmpl $moment, %ebx
	jne wrong
	movl $2000000, %ecx
	movl $0x55555555, %eax
spin:	cmpl $0x11111111, %edx
	jne wrong
	cmpl $0x22222222, %esi
	jne wrong
	cmpl $0x33333333, %edi
	jne wrong
	cmpl $0x44444444, %ebp
	jne wrong
	cmpl $0x55555555, %eax
	jne wrong
	decl %ecx
	jnz spin
	jmp again
wrong:
	movl $1, %eax			/* exit(1) */
	movl $1, %ebx
	int $0x80

	.data
ready:	.ascii "ready\n"
	.balign 4
moment:	.long 0, 3000000
	.section .note.GNU-stack, "", @progbits
