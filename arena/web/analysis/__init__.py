"""Looking into positions: the analysis board of a match playing on from one."""
