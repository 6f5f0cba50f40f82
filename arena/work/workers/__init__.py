"""Workers: processes on machines of the operator that compute what the rows say, and the host's side of them."""
