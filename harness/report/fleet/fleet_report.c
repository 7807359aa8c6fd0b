#include "harness/report/fleet/fleet_report.h"

const struct report *const fleet_reports[] = { &fleet_text, &fleet_csv, &fleet_json, &fleet_html, NULL };
