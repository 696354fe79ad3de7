package org.heapspan.image.inspect;

import java.io.IOException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** Reads references and elements of containers for {@link InspectWalk}, and numbers the objects to which they lead. */
final class InspectReferences {
    private final InspectWalk walk;
    private final Use strings;
    private int objectCount;

    InspectReferences(InspectWalk walk) {
        this.walk = walk;
        strings = walk.tally.use("java.lang.String");
    }

    /** Begins another scope: the next object has number 0. */
    void forgetObjects() {
        objectCount = 0;
    }

    /** Reads the reference with which a section begins. */
    void readRoot(InspectSectionStep from, String label) throws IOException {
        read(from, InspectNode.element(from.node, label), 1);
    }

    /** Reads a reference, or leaves the contents of its object to a step on the top. */
    void read(InspectStep from, @Nullable InspectNode node, int depth) throws IOException {
        long start = walk.source.bodyPosition();
        int tag = walk.source.readCount();
        switch (tag) {
            case ImageFormat.TAG_NULL -> setNull(node);
            case ImageFormat.TAG_BACK_REFERENCE -> backReference(node);
            case ImageFormat.TAG_DEFERRED -> deferred(from, walk.types.of(walk.source.readCount()), node, start);
            default -> newObject(from, walk.types.of(tag), node, depth, start);
        }
    }

    private static void setNull(@Nullable InspectNode node) {
        if (node != null) {
            node.value = "null";
        }
    }

    private void backReference(@Nullable InspectNode node) throws IOException {
        int index = walk.source.readCount();
        if (walk.source.has(ImageFormat.FLAG_SHARED_OBJECTS)) {
            if ((index & 1) != 0) {
                sharedReference(index >>> 1, node);
                return;
            }
            index >>>= 1;
        }
        if (index >= objectCount) {
            throw walk.source.malformed("back reference to object " + index + ", " + objectCount + " are known");
        }
        walk.tally.references++;
        if (node != null) {
            node.value = "-> #" + index;
            node.reference = index;
        }
    }

    private void sharedReference(int number, @Nullable InspectNode node) {
        walk.tally.sharedReferences++;
        if (node != null) {
            node.value = "-> shared object " + number;
        }
    }

    private void deferred(InspectStep from, InspectType type, @Nullable InspectNode node, long start)
            throws IOException {
        if (!type.deferrable) {
            throw walk.source.malformed(
                    "an object of " + type.use.className + " is deferred, which that type does not allow");
        }
        InspectSectionStep current = walk.section();
        if (current == null) {
            throw new IllegalStateException("every reference lies in a section");
        }
        walk.tally.charge(start, type.use);
        type.use.count++;
        walk.tally.deferredBodies++;
        int length = walk.bodies.readShape(type);
        register(type, node);
        current.defer(type, length, node);
        walk.tally.charge(walk.source.bodyPosition(), from.owner);
    }

    private void newObject(InspectStep from, InspectType type, @Nullable InspectNode node, int depth, long start)
            throws IOException {
        if (depth > ImageFormat.DEPTH_LIMIT + 4) {
            throw walk.source.malformed("objects nest deeper than " + ImageFormat.DEPTH_LIMIT);
        }
        walk.tally.charge(start, type.use);
        type.use.count++;
        int length = walk.bodies.readShape(type);
        register(type, node);
        walk.bodies.read(type, length, node, depth);
        if (walk.isTop(from)) {
            walk.tally.charge(walk.source.bodyPosition(), from.owner);
        }
    }

    /** Reads an element of a container whose elements are of a kind, if that is not null. */
    void readElement(InspectStep from, @Nullable InspectType kind, @Nullable InspectNode node) throws IOException {
        if (kind == null) {
            read(from, node, from.depth + 1);
        } else if (kind.builtInTag == BuiltInTypes.STRING_TAG) {
            stringElement(from, node);
        } else if (kind.numbered) {
            numberedElement(from, kind, node);
        } else if (!kind.tracked) {
            newObject(from, kind, node, from.depth, walk.source.bodyPosition());
        } else {
            markedElement(from, kind, node);
        }
    }

    private void markedElement(InspectStep from, InspectType kind, @Nullable InspectNode node) throws IOException {
        long start = walk.source.bodyPosition();
        int marker = walk.source.readByte();
        switch (marker) {
            case ImageFormat.ELEMENT_NULL -> setNull(node);
            case ImageFormat.ELEMENT_BACK_REFERENCE -> backReference(node);
            case ImageFormat.ELEMENT_NEW -> newObject(from, kind, node, from.depth + 1, start);
            case ImageFormat.ELEMENT_DEFERRED -> deferred(from, kind, node, start);
            case ImageFormat.ELEMENT_OTHER -> read(from, node, from.depth + 1);
            default -> throw walk.source.malformed("an element has marker " + marker);
        }
    }

    /** Reads a field that is declared as a string. */
    void readStringSlot(InspectStep from, @Nullable InspectNode node) throws IOException {
        long start = walk.source.bodyPosition();
        long header = walk.source.readNumber();
        if (header == ImageFormat.STRING_OTHER) {
            throw walk.source.malformed("a string slot holds what is no string");
        }
        string(from, node, start, header);
    }

    private void stringElement(InspectStep from, @Nullable InspectNode node) throws IOException {
        long start = walk.source.bodyPosition();
        long header = walk.source.readNumber();
        if (header == ImageFormat.STRING_OTHER) {
            read(from, node, from.depth + 1);
        } else {
            string(from, node, start, header);
        }
    }

    private void numberedElement(InspectStep from, InspectType kind, @Nullable InspectNode node) throws IOException {
        long start = walk.source.bodyPosition();
        long number = walk.source.readNumber();
        if (number == ImageFormat.NUMBER_OTHER) {
            read(from, node, from.depth + 1);
            return;
        }
        walk.tally.charge(start, kind.use);
        kind.use.count++;
        register(kind, node);
        walk.bodies.setNumber(kind, number - 1, node);
        walk.tally.charge(walk.source.bodyPosition(), from.owner);
    }

    private void string(InspectStep from, @Nullable InspectNode node, long start, long header) throws IOException {
        if (header == ImageFormat.STRING_NULL) {
            setNull(node);
        } else if (header == ImageFormat.STRING_BACK_REFERENCE) {
            backReference(node);
        } else {
            walk.tally.charge(start, strings);
            strings.count++;
            int index = objectCount++;
            String text = InspectText.quoted(
                    walk.source.readText(header - ImageFormat.STRING_FIRST_HEADER, limitChars(node)));
            if (node != null) {
                node.type = strings.className;
                node.index = index;
                node.value = text;
            }
            walk.tally.charge(walk.source.bodyPosition(), from.owner);
        }
    }

    static int limitChars(@Nullable InspectNode node) {
        return node == null ? 0 : InspectText.VALUE_LIMIT_CHARS;
    }

    /** Gives an object the next number; all of an image's objects come by here but strings in slots of their own. */
    private void register(InspectType type, @Nullable InspectNode node) {
        int index = -1;
        if (type.tracked) {
            index = objectCount++;
            if (objectCount == Integer.MAX_VALUE) {
                throw new HeapspanException(Category.LIMIT, "the image holds more objects than a scope can have");
            }
        }
        if (node != null) {
            node.type = type.displayName();
            node.index = index;
        }
    }
}
