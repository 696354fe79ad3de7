package org.heapspan.workloads

import org.apache.spark.scheduler.{SparkListener, SparkListenerBlockUpdated}
import org.apache.spark.storage.{BlockId, BlockManagerId}

import scala.collection.mutable

/** Counts what becomes of cached partitions, by what block managers tell the driver. Thread-safe. */
private[workloads] final class CachedBlocks extends SparkListener {
  private val inMemory = mutable.Set[(BlockManagerId, BlockId)]()
  private val known = mutable.Set[BlockId]()
  private val present = mutable.Set[(BlockManagerId, BlockId)]()

  /** How often a partition had to leave memory; that of an RDD which is no longer wanted is not told of. */
  var evicted = 0L

  /** How often one was stored that had been stored before and was lost. */
  var storedAgain = 0L

  override def onBlockUpdated(update: SparkListenerBlockUpdated): Unit = synchronized {
    val info = update.blockUpdatedInfo
    if (info.blockId.isRDD) {
      val block = (info.blockManagerId, info.blockId)
      val isInMemory = info.memSize > 0
      if (inMemory.contains(block) && !isInMemory) evicted += 1
      if (isInMemory) inMemory += block else inMemory -= block
      if (info.storageLevel.isValid) {
        if (present.add(block) && !known.add(info.blockId)) storedAgain += 1
      } else present -= block
    }
  }
}
