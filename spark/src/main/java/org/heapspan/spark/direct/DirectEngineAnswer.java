package org.heapspan.spark.direct;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The driver's answer to a {@link DirectEngineQuestion}.
 *
 * @param veto why the executor must not use the direct engine; null if it may
 */
public record DirectEngineAnswer(@Nullable String veto) implements Serializable {}
