#ifndef HARNESS_ANALYSIS_FLEET_FLEET_STATE_H
#define HARNESS_ANALYSIS_FLEET_FLEET_STATE_H

/* What may be wrong with a node of a fleet, in the order of a report. Slow: surely slower than those like it, or than
 * itself at an earlier date. Failed: a cell of its run failed, or a time that most have is not there. Missing: it has
 * no or half a journal, or fewer devices than most like it. Different: its facts are not those of most. */

enum fleet_state { FLEET_SLOW, FLEET_FAILED, FLEET_MISSING, FLEET_DIFFERENT, FLEET_STATES };
const char *fleet_state_name(enum fleet_state state); /* "slow" */

#endif
