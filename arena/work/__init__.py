"""What is computed away from play: rows are the queue, an engine lends processors, the desk of the host joins them."""
