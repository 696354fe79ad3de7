"""07: a PySpark program works as it is. Python's objects are bytes to Spark; those that move between its JVMs travel in object images."""
import sys

from pyspark import SparkContext

MADE_UP = [f"{user}\t{film}\t{1 + (user * film) % 5}\t0" for user in range(300) for film in range(1, 8)]


def rating(line):
    user, film, stars, _ = line.split("\t")
    return int(film), (int(stars), 1)


with SparkContext(appName="07 ratings") as spark:
    lines = spark.textFile(sys.argv[1]) if len(sys.argv) > 1 else spark.parallelize(MADE_UP)
    totals = lines.map(rating).reduceByKey(lambda a, b: (a[0] + b[0], a[1] + b[1]))
    best = (
        totals.filter(lambda film: film[1][1] >= 100)
        .mapValues(lambda total: round(total[0] / total[1], 3))
        .sortBy(lambda film: (-film[1], film[0]))
        .take(5)
    )
    serializer = spark._jsc.getConf().get("spark.serializer", "Spark's own").split(".")[-1]

print("the best films of 100 and more ratings:", ", ".join(f"{film} ({stars})" for film, stars in best))
print("serializer:", serializer)
