"""What a page promises, and who holds it to it: blocks run, numbers are bound, shown source is real source."""
