package org.apache.spark.heapspan;

/**
 * What Spark knows of a stage.
 *
 * @param name what the user would know it by
 * @param attempt number of the latest attempt
 * @param taskMillis time that the tasks of that attempt have run so far, in all
 */
public record StageFacts(String name, int attempt, long taskMillis) {}
