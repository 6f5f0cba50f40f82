"""Webhooks: programs elsewhere are told what happens. Rows are the queue; the host alone signs and sends them."""
