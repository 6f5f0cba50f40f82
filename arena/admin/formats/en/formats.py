"""Times in lists of the administration, as on its other pages: 24-hour clock, UTC. Pages name their own formats."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i"
