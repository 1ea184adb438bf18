"""What several suites share: vaults in temp folders, clocks that stand still, children to kill."""
