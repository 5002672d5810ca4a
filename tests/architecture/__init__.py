"""The rules of the source tree, and the guards that read the tree and tell what breaks them."""
