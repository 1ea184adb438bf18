"""The words of Engrain, pure: entries, kinds, links, history records, errors."""
