package org.heapspan.spark.direct;

import java.io.Serializable;

/**
 * An executor asks the driver whether it may use the direct engine; the answer is a {@link DirectEngineAnswer}. Sent by Java
 * serialization: a record, so that versions with more or fewer components understand one another.
 *
 * @param executorId number of the executor
 * @param host where it runs
 */
public record DirectEngineQuestion(String executorId, String host) implements Serializable {}
