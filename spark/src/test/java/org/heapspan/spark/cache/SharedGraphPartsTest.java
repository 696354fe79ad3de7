package org.heapspan.spark.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields of this version of GraphX that are shared; one that got another name would go unnoticed otherwise. */
@Tag("once")
final class SharedGraphPartsTest {
    @ParameterizedTest
    @CsvSource({
        "EdgePartition, 5",
        "EdgePartition$mcI$sp, 1",
        "EdgePartition$mcD$sp, 1",
        "VertexPartition, 1",
        "ShippableVertexPartition, 2",
        "RoutingTablePartition, 0"
    })
    void partsOfPartitionsAreShared(String name, int count) throws ClassNotFoundException {
        Class<?> type = Class.forName(
                "org.apache.spark.graphx.impl." + name,
                false,
                Thread.currentThread().getContextClassLoader());
        List<String> shared = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (SharedGraphParts.areIn(field)) {
                shared.add(field.getName());
            }
        }
        assertThat(shared).hasSize(count);
    }

    @Test
    void nothingElseIs() {
        for (Field field : SharedGraphParts.class.getDeclaredFields()) {
            assertThat(SharedGraphParts.areIn(field)).isFalse();
        }
    }
}
