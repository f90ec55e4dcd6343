"""`python -m attn.check mine.py` tells, property by property, what holds of the attention in a file of your own."""

from attn.labs.command import main

if __name__ == "__main__":
    main()
