#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people have without the kernel's thpmaps: a script that reads smaps. smaps.py PID"""
import sys

FIELDS = ("Size", "Rss", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped")
total = dict.fromkeys(FIELDS, 0)
name = ""
with open(f"/proc/{sys.argv[1]}/smaps", encoding="utf-8", errors="replace") as smaps:
    for line in smaps:
        key, colon, value = line.partition(":")
        if colon and key in total and value.rstrip().endswith("kB"):
            total[key] += int(value.split()[0])
            print(name, key, value.strip())
        elif not line[0].isupper():
            name = line.split()[0]
print(total)
