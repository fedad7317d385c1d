/* The first version of a module's library. */
#include "../versioned.h"
