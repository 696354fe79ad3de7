package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.heapspan.h2.Label;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class SecondHeapObserverTest {
    @TempDir
    Path folder;

    @Test
    void logsWhatWasWrittenAndClosesTheHeap() {
        ImmutableClassesGiraphConfiguration<?, ?, ?> worker = Workers.of(Workers.settings(folder));
        SecondHeapObserver observer = new SecondHeapObserver();
        observer.setConf(worker);
        observer.preLoad();
        WorkerHeap heap = WorkerHeap.of(worker);
        Label messages = WorkerHeap.messages(1);
        heap.tag(new byte[1000], messages);
        heap.moveOnHint(messages);
        StringWriter lines = new StringWriter();
        Logger logger = Logger.getLogger(SecondHeapObserver.class);
        Level before = logger.getLevel();
        WriterAppender appender = new WriterAppender(new SimpleLayout(), lines);
        logger.addAppender(appender);
        logger.setLevel(Level.INFO);
        try {
            observer.postSave();
        } finally {
            logger.removeAppender(appender);
            logger.setLevel(before);
        }
        assertThat(lines.toString())
                .matches(
                        "INFO - second heap of this worker: 1\\d{3} bytes written in 1 pages; 0 regions of 16777216 bytes"
                                + " freed; 1\\d{3} bytes used at the end, of 268435456 bytes\\R");
        assertThat(WorkerHeap.ofOrNull(worker)).isNull();
    }
}
