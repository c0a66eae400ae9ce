"""One module per question: what a notebook computes, as frames."""
