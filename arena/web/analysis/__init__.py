"""Looking into positions: the analysis board of a match, what is proved of any position, playing on from one."""
