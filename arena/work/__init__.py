"""Work apart from play: rows are the queue, an engine lends processors, the host's desk joins the two; and `webhooks/`,
which tell programs elsewhere what happens.
"""
