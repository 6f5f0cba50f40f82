"""Workers: processes on the operator's machines that compute what the rows ask for, and the host's side of them."""
