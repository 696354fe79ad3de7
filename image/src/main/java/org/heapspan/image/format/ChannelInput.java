package org.heapspan.image.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** A channel that blocks, as a stream. */
public final class ChannelInput extends PieceInput {
    private final ReadableByteChannel channel;

    public ChannelInput(ReadableByteChannel channel) {
        requireBlocking(channel);
        this.channel = channel;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = channel.read(ByteBuffer.wrap(target, offset, length));
        if (count == 0 && length > 0) {
            requireBlocking(channel);
        }
        return count;
    }

    /** Refuses a channel that would have to be asked again and again, for ever if the other side waits as well. */
    public static void requireBlocking(Channel channel) {
        if (channel instanceof SelectableChannel selectable && !selectable.isBlocking()) {
            throw new HeapspanException(
                    Category.USAGE,
                    channel.getClass().getName()
                            + " is in non-blocking mode, expected a blocking channel; call configureBlocking(true),"
                            + " or encode and decode in memory and transfer the bytes yourself");
        }
    }
}
