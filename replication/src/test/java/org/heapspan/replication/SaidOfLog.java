package org.heapspan.replication;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Hears what servers of this JVM say of their logs of changes. */
final class SaidOfLog extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(ChangeMachine.class.getName());
    private final List<String> messages = new CopyOnWriteArrayList<>();

    SaidOfLog() {
        logger.addHandler(this);
    }

    List<String> messages() {
        return messages;
    }

    @Override
    public void publish(LogRecord record) {
        messages.add(record.getMessage());
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
