package org.heapspan.spark.broadcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.UUID;
import org.apache.spark.SparkConf;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where executors do not share, and what the user is told then. */
@Tag("once")
final class BroadcastSharingTest {
    @TempDir
    Path base;

    private SparkConf conf() {
        return new SparkConf(false).set("spark.heapspan.broadcast.dir", base.toString());
    }

    @SuppressWarnings("NullAway") // The environment is not looked at before there is no obstacle.
    private static Part offered(SparkConf conf, boolean isLocal) {
        BroadcastSharing.Offer offer = BroadcastSharing.offer(HeapspanConfiguration.of(conf), conf, null, isLocal);
        assertThat(offer.application()).isNull();
        return offer.part();
    }

    private static Part joined(String folder) {
        SparkConf conf = new SparkConf(false).set("spark.heapspan.broadcast.dir", folder);
        try (BroadcastSharing sharing = BroadcastSharing.join(
                HeapspanConfiguration.of(conf), UUID.randomUUID().toString(), "1")) {
            assertThat(sharing.part().isOn()).isEqualTo(sharing.files() != null);
            return sharing.part();
        }
    }

    @Test
    void itIsOffByDefault() {
        assertThat(offered(new SparkConf(false), false))
                .hasToString("shared broadcasts off (spark.heapspan.broadcast.dir is not set)");
    }

    @Test
    void filesThatWouldHaveToBeEncryptedAreNotMade() {
        assertThat(offered(conf().set("spark.io.encryption.enabled", "true"), false))
                .hasToString("shared broadcasts off (spark.io.encryption.enabled=true, and the files would not be"
                        + " encrypted)");
    }

    @Test
    void nobodySharesInLocalMode() {
        assertThat(offered(conf(), true).why()).contains("only one executor");
    }

    @Test
    void aFolderThatIsNotThereIsNamed() {
        for (String folder : new String[] {base.resolve("missing").toString(), "relative/folder"}) {
            assertThat(joined(folder).why())
                    .isEqualTo("spark.heapspan.broadcast.dir is '" + folder
                            + "', expected the absolute path of a folder of this host");
        }
    }

    @Test
    void anExecutorEntersAndLeaves() {
        Part part = joined(base.toString());
        assertThat(part.isOn()).isTrue();
        assertThat(part.why()).startsWith(base + "/" + SharingFolder.PREFIX);
        assertThat(base).isEmptyDirectory();
    }
}
