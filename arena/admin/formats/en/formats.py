"""Times in lists of the administration, as on its other pages: of 24 hours, in UTC. Pages name formats of their own."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i"
