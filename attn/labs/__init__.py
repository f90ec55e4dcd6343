"""What the labs import, outside the mathematics."""
