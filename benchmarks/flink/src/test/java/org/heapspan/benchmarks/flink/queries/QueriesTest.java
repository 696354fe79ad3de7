package org.heapspan.benchmarks.flink.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.heapspan.benchmarks.flink.Peer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries on a small TPC-H have the answers of DuckDB. */
final class QueriesTest {
    private static final int SORT_MEGABYTES = 32;

    /** What DuckDB has answered so far. */
    private static final Map<Query, Answer> EXPECTED = new EnumMap<>(Query.class);

    private static Path data;
    private static QueryCluster cluster;

    @BeforeAll
    static void startCluster() throws Exception {
        assumeTrue(TpcH.isInstalled(), "tpchgen-cli and DuckDB are missing: set -Dheapspan.tpch.home");
        data = TpcH.data("0.001");
        cluster = new QueryCluster(SORT_MEGABYTES, false);
    }

    @AfterAll
    static void stopCluster() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void heapspanHasTheAnswerOfDuckDb(Query query) throws Exception {
        check(query, Peer.HEAPSPAN);
    }

    @ParameterizedTest
    @EnumSource
    void tuplesHaveTheAnswerOfDuckDb(Query query) throws Exception {
        check(query, Peer.TUPLES);
    }

    /** Flink's serializers must understand the classes, or they are not compared as what they are. */
    @Test
    void tuplesAreTuplesForFlinkAndObjectsArePojos() {
        for (RowKind<?> kind : List.of(
                RowKind.LINE_ITEM,
                RowKind.ORDER,
                RowKind.CUSTOMER,
                RowKind.SUPPLIER,
                RowKind.OFFER,
                RowKind.ORDER_OF_CUSTOMER,
                RowKind.OFFER_OF_SUPPLIER,
                RowKind.SALE,
                RowKind.SALE_TO_CUSTOMER)) {
            assertThat(Peer.TUPLES.information(kind.tuples())).isInstanceOf(TupleTypeInfo.class);
            assertThat(Peer.POJO.information(kind.objects())).isInstanceOf(PojoTypeInfo.class);
            assertThat(Peer.POJO_WITH_DATES.information(kind.objects()).createSerializer(withoutKryo()))
                    .isInstanceOf(PojoSerializer.class);
        }
        assertThatThrownBy(
                        () -> Peer.POJO.information(ObjectRows.LineItem.class).createSerializer(withoutKryo()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("LocalDate");
    }

    private static SerializerConfigImpl withoutKryo() {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.setGenericTypes(false);
        return config;
    }

    /** Three joins, and a graph of three objects. */
    @ParameterizedTest
    @EnumSource
    void allSerializersHaveTheSameAnswer(Peer peer) throws Exception {
        check(Query.Q10, peer);
    }

    /** Groups are of 3 records, but for the last ones of a part of the file. */
    @ParameterizedTest
    @CsvSource({"LINE_ITEMS, 1", "LINE_ITEMS, 3", "BASKETS, 1", "BASKETS, 3"})
    void recordsInGroupsArriveAsSingleOnesDo(String name, int groupSize) throws Exception {
        Shuffle<?> shuffle = Shuffle.named(name);
        Answer expected = shuffle.expected(data);
        assertThat(expected.rows()).isGreaterThan(1000);
        QueryCluster.Run run = cluster.run(Peer.HEAPSPAN, environment -> shuffle.on(environment, data, groupSize));
        assertThat(run.answer()).isEqualTo(expected);
        assertThat(run.exchangedBytes()).isPositive();
    }

    private static void check(Query query, Peer peer) throws Exception {
        Answer answer = cluster.run(query, data, peer).answer();
        assertThat(answer.rows()).isPositive();
        if (!EXPECTED.containsKey(query)) {
            EXPECTED.put(query, TpcH.answer(query, data));
        }
        assertThat(answer).isEqualTo(EXPECTED.get(query));
    }

    @Test
    void anAnswerDoesNotDependOnTheOrderOfItsRows() {
        Answer answer = Answer.of(Stream.of("12|5", "13|4"));
        assertThat(Answer.of(Stream.of("13|4", "12|5"))).isEqualTo(answer);
        assertThat(Answer.of(Stream.of("12|4", "13|5"))).isNotEqualTo(answer);
    }
}
