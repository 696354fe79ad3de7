package org.heapspan.spark.nativerdd;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.heapspan.StoredBlocks;

/**
 * How a task takes a batch from an iterator of Spark and gives it back, and who frees it.
 *
 * <p>A batch without a home belongs to whoever takes it. A batch of a persisted partition may be in Spark's memory store, which has no call for what it
 * drops: so it is freed when its partition is found not to be there any more. Spark drops no partition that a task iterates over, so that a batch which
 * somebody still can get is always there.
 */
final class BatchLoan {
    /** Batches of partitions that Spark keeps. */
    private static final Map<RddBatch.Home, Set<RddBatch>> KEPT = new ConcurrentHashMap<>();

    private BatchLoan() {}

    /** Takes a batch that an iterator has just delivered. */
    static RddBatch take(RddBatch batch) {
        RddBatch copy = batch.fromHeap();
        if (copy != null) {
            return copy;
        }
        if (batch.hasHome()) {
            batch.memory().retain();
        }
        return batch;
    }

    /** Gives back a batch that was taken. */
    static void giveBack(RddBatch batch) {
        if (batch.hasHome()) {
            batch.memory().close();
            settle(batch);
        } else {
            batch.close();
        }
    }

    /** Frees a batch of a persisted partition, now or when Spark does not keep it any more. */
    static void settle(RddBatch batch) {
        RddBatch.Home home = batch.home();
        if (!StoredBlocks.isInMemory(home.rdd(), home.partition())) {
            batch.close();
        } else {
            keep(batch);
        }
    }

    /** Sees to it that a batch of a persisted partition is freed one day. */
    static void keep(RddBatch batch) {
        if (batch.adopt()) {
            KEPT.compute(batch.home(), (key, batches) -> {
                Set<RddBatch> all = batches == null ? ConcurrentHashMap.newKeySet() : batches;
                all.add(batch);
                return all;
            });
        }
    }

    /** Frees what Spark does not keep any more. */
    static void sweep() {
        KEPT.entrySet().removeIf(each -> {
            RddBatch.Home home = each.getKey();
            boolean gone = !StoredBlocks.isInMemory(home.rdd(), home.partition());
            if (gone) {
                each.getValue().forEach(RddBatch::close);
            }
            return gone;
        });
    }

    /** Frees all, at the end of an application: the next one of this JVM may have other partitions of the same numbers. */
    static void forgetAll() {
        for (RddBatch.Home home : List.copyOf(KEPT.keySet())) {
            Set<RddBatch> batches = KEPT.remove(home);
            if (batches != null) {
                batches.forEach(RddBatch::close);
            }
        }
    }
}
