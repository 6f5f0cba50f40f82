"""The built-in players of 2026-11-22, before the kernel: copies that nobody changes."""
