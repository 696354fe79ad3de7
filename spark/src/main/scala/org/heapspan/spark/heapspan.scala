package org.heapspan.spark

import org.heapspan.spark.nativerdd.NativePrograms

/** Native RDD programs as steps of an application in Scala: `heapspan.native("x.so").call("name", rdd)`. */
object heapspan {

  /** A program to call, as `NativePrograms.open`. In Java no method can have this name.
    *
    * @param file
    *   the shared object, which `heapspan native build` made
    */
  def native(file: String): NativePrograms = NativePrograms.open(file)
}
