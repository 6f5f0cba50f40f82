"""What is done away from play: rows are the queue, an engine lends processors, the desk of the host joins them; and
`webhooks/`, which tell programs elsewhere what happens.
"""
