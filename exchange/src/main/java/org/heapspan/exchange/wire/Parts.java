package org.heapspan.exchange.wire;

import java.util.ArrayList;
import java.util.List;

/** Several messages in the body of another one: how many, and for each its type, the length of its body, and its body. */
final class Parts {
    private Parts() {}

    static void write(BodyWriter body, List<? extends Message> parts) {
        body.number(parts.size());
        for (Message part : parts) {
            body.number(part.type().number());
            int begin = body.beginPart();
            part.write(body);
            body.endPart(begin);
        }
    }

    static <M extends Message> List<M> read(BodyReader body, Class<M> kind) throws MalformedFrameException {
        int count = body.count(1 + Integer.BYTES);
        if (count > Request.Many.MOST_REQUESTS) {
            throw new MalformedFrameException(
                    count + " messages came in one, expected at most " + Request.Many.MOST_REQUESTS);
        }
        List<M> parts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Message part = MessageType.of(body.octet()).readPart(body.part());
            if (!kind.isInstance(part)) {
                throw new MalformedFrameException(
                        "a " + part.type() + " came among " + kind.getSimpleName() + " messages");
            }
            parts.add(kind.cast(part));
        }
        return parts;
    }
}
