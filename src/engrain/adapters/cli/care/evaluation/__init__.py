"""What `eval` needs: data sets, saved runs, the suite."""
