#!/usr/bin/env python
"""Every command of Arena: `manage.py serve`, `manage.py match`, `manage.py help`. An installed Arena has `arena`."""

from __future__ import annotations

from arena.management.console import main

if __name__ == "__main__":
    main()
