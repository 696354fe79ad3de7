package org.heapspan.workloads.wide

import org.apache.spark.ml.classification.{LogisticRegression, RandomForestClassifier}
import org.apache.spark.ml.clustering.KMeans
import org.apache.spark.ml.feature.{StringIndexer, VectorAssembler}
import org.apache.spark.ml.linalg.Vectors
import org.apache.spark.ml.recommendation.ALS
import org.apache.spark.mllib.clustering.{KMeans => KMeansOfRdds}
import org.apache.spark.mllib.linalg.{Vectors => VectorsOfRdds}
import org.apache.spark.sql.DataFrame

/** MLlib, with seeds, over rows whose order is fixed. */
private[wide] object Learning extends FeatureGroup {
  override def features: Seq[Feature] = Seq(
    Feature("k-means", means),
    Feature("k-means of RDDs", meansOfRdds),
    Feature("recommendations (ALS)", recommendations),
    Feature("logistic regression", regression),
    Feature("random forest", forest)
  )

  private def points(setting: Setting): DataFrame = {
    val records = setting.context.parallelize(0 until 240, 3).map { number =>
      val (x, y) = ((number * 37 % 101) / 10.0, (number * 53 % 89) / 10.0)
      (number, Vectors.dense(x, y, if (number % 3 == 0) 1 else 0), if (x + y > 9) 1.0 else 0.0)
    }
    setting.session.createDataFrame(records).toDF("id", "features", "label")
  }

  private def means(setting: Setting): String = {
    val model = new KMeans().setK(4).setSeed(7).setMaxIter(4).fit(points(setting))
    Canonical.ofAll(model.clusterCenters.map(_.toArray.map(Canonical.rounded(_)).toSeq))
  }

  private def meansOfRdds(setting: Setting): String = {
    val vectors =
      setting.context.parallelize(0 until 300, 3).map(number => VectorsOfRdds.dense(number * 37 % 101, number * 53 % 89)).cache()
    val model = KMeansOfRdds.train(vectors, 3, 4, KMeansOfRdds.RANDOM, 5L)
    vectors.unpersist(blocking = true)
    Canonical.ofAll(model.clusterCenters.map(_.toArray.map(Canonical.rounded(_)).toSeq))
  }

  private def recommendations(setting: Setting): String = {
    val ratings = setting.context.parallelize(0 until 400, 3).map(number => (number % 20, number * 7 % 23, (number * 11 % 5).toFloat))
    val frame = setting.session.createDataFrame(ratings).toDF("user", "item", "rating")
    val model = new ALS().setSeed(3).setRank(3).setMaxIter(2).setNumBlocks(2).fit(frame)
    val predicted = model.transform(frame).selectExpr("user", "item", "prediction").distinct().collect()
    Canonical.ofAll(predicted.map(row => (row.getInt(0), row.getInt(1), f"${row.getFloat(2)}%.2f")))
  }

  private def regression(setting: Setting): String = {
    val model = new LogisticRegression().setMaxIter(5).setRegParam(0.1).fit(points(setting))
    Canonical.inOrder(model.coefficients.toArray.map(Canonical.rounded(_, 4)) :+ Canonical.rounded(model.intercept, 4))
  }

  private def forest(setting: Setting): String = {
    val assembled = new VectorAssembler().setInputCols(Array("features", "id")).setOutputCol("all").transform(points(setting))
    val indexed = new StringIndexer().setInputCol("label").setOutputCol("class").fit(assembled).transform(assembled)
    val model =
      new RandomForestClassifier().setFeaturesCol("all").setLabelCol("class").setSeed(9).setNumTrees(3).setMaxDepth(3).fit(indexed)
    Canonical.ofAll(
      model.transform(indexed).select("id", "prediction").collect().map(_.toString) :+ Canonical.rounded(model.featureImportances(0), 4)
    )
  }
}
