#pragma once

// All that a native RDD program needs.

#include "rdd/program.h"
