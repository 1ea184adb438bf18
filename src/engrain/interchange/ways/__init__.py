"""The memories of other tools: how each is recognised and read (`engrain import`)."""
