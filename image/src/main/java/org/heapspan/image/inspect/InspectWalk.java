package org.heapspan.image.inspect;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.ElementsForm;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.inspect.InspectType.Use;
import org.heapspan.image.type.Derivation;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * Walks the bodies of an image by the rules of the format ({@code docs/formats/image.md}), with no class of the image loaded. The
 * way from the root to where it stands is kept as a chain of steps on the heap, so that no image can overflow the stack.
 */
final class InspectWalk {
    static final int INTEGER_TAG = 8;
    static final int LONG_TAG = 9;
    static final int OBJECT_ARRAY_TAG = 20;
    static final int STRING_ARRAY_TAG = 21;

    private static final int VALUE_LIMIT_CHARS = 60;
    /** Steps are some 60 bytes each; images of sane programs need a few hundred. */
    private static final int STEPS_LIMIT = 1 << 21;

    private static final int PENDING_LIMIT = 1 << 24;
    private static final int NOT_AN_ARRAY = -1;

    private final InspectSource source;
    private final InspectValues values;
    private final InspectTypes types;
    private final InspectTally tally = new InspectTally();
    private final Use strings = tally.use("java.lang.String");
    private final InspectNode treeRoot;

    // Where the walk stands.
    private @Nullable Step top;
    private int steps;
    private int objectCount;
    private int pendingCount;
    private @Nullable SectionStep section;

    InspectWalk(InspectSource source, InspectNode treeRoot) {
        this.source = source;
        values = new InspectValues(source);
        types = new InspectTypes(source, tally);
        this.treeRoot = treeRoot;
    }

    /** Takes notice of some types by their descriptions. */
    void describe(String loaderScope, byte[] bytes) {
        types.describe(loaderScope, bytes);
    }

    /** What has been found, up to where the walk stands. */
    InspectedImage result(@Nullable UUID registry, @Nullable HeapspanException problem) {
        return tally.result(source, registry, types.results(), treeRoot.toResult(), problem);
    }

    // ---------------------------------------------------------------- the walk

    void run() throws IOException {
        push(source.scope() == InspectedImage.Scope.STREAM ? new ItemsStep(treeRoot) : new RecordsStep());
        while (top != null) {
            top.advance();
        }
        tally.charge(source.bodyPosition(), tally.outside);
    }

    /** What stopped the walk, stopped it here. */
    void stop() {
        tally.charge(source.bodyPosition(), tally.outside);
    }

    /** Something that is being read and contains something else. */
    private abstract static class Step {
        final Use owner;
        final @Nullable InspectNode node;
        /** How deep its object lies within its section. */
        final int depth;

        private @Nullable Step below;

        Step(Use owner, @Nullable InspectNode node, int depth) {
            this.owner = owner;
            this.node = node;
            this.depth = depth;
        }

        /** Reads on; called again until it has removed itself. */
        abstract void advance() throws IOException;
    }

    private void push(Step step) {
        if (++steps > STEPS_LIMIT) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "objects of classes with methods of their own nest deeper than the inspector follows");
        }
        step.below = top;
        top = step;
    }

    private void pop() throws IOException {
        Step done = top;
        if (done != null) {
            top = done.below;
            steps--;
            tally.charge(source.bodyPosition(), top == null ? tally.outside : top.owner);
        }
    }

    private final class RecordsStep extends Step {
        RecordsStep() {
            super(tally.outside, treeRoot, 0);
        }

        @Override
        void advance() throws IOException {
            if (source.atEnd()) {
                pop();
                return;
            }
            if (source.scope() == InspectedImage.Scope.RECORD) {
                objectCount = 0;
            }
            push(new SectionStep(tally.outside, node, null, "record " + tally.roots++));
        }
    }

    /** A section: a reference or part of an object, then the bodies that were deferred within it. */
    private final class SectionStep extends Step {
        private final @Nullable Step content;
        private final String label;
        private boolean begun;
        private @Nullable SectionStep outer;

        private @Nullable InspectQueue deferred;

        SectionStep(Use owner, @Nullable InspectNode node, @Nullable Step content, String label) {
            super(owner, node, 0);
            this.content = content;
            this.label = label;
        }

        @Override
        void advance() throws IOException {
            if (!begun) {
                begun = true;
                outer = section;
                section = this;
                if (content == null) {
                    reference(this, label);
                } else {
                    push(content);
                }
            } else if (deferred != null && !deferred.isEmpty()) {
                InspectType type = deferred.type();
                int length = deferred.length();
                InspectNode deferredNode = deferred.node();
                deferred.removeFirst();
                pendingCount--;
                tally.charge(source.bodyPosition(), type.use);
                body(type, length, deferredNode, 1);
            } else {
                section = outer;
                pop();
            }
        }

        void defer(InspectType type, int length, @Nullable InspectNode deferredNode) {
            if (++pendingCount > PENDING_LIMIT) {
                throw new HeapspanException(
                        Category.LIMIT, "more than " + PENDING_LIMIT + " objects are deferred, the inspector's limit");
            }
            if (deferred == null) {
                deferred = new InspectQueue();
            }
            deferred.add(type, length, deferredNode);
        }
    }

    /** Fields: the block with all primitive ones first, then the references. */
    private final class FieldsStep extends Step {
        private final FieldBlock block;
        private int slot = -1;

        FieldsStep(FieldBlock block, Use owner, @Nullable InspectNode node, int depth) {
            super(owner, node, depth);
            this.block = block;
        }

        @Override
        void advance() throws IOException {
            if (slot < 0) {
                slot = values.readBlock(block, node);
            }
            while (slot < block.slots.size()) {
                TypeDescription.Field field = block.slots.get(slot++).field();
                if (field.code() == TypeDescription.Field.STRING) {
                    stringSlot(this, fieldNode(field));
                } else {
                    reference(this, fieldNode(field), depth + 1);
                    if (top != this) {
                        return;
                    }
                }
            }
            pop();
        }

        private @Nullable InspectNode fieldNode(TypeDescription.Field field) {
            return node == null ? null : InspectNode.field(node, InspectText.name(field.name()));
        }
    }

    /** Elements of an array, list or set, or keys and values of a map in turn. */
    private final class ElementsStep extends Step {
        private final boolean map;
        private final @Nullable InspectType kind;
        private final @Nullable InspectType valueKind;
        private final int length;
        /** The keys where they are not written as objects. */
        private final @Nullable Constants keys;

        private int index;
        private boolean keyIsRead;

        ElementsStep(
                Use owner,
                @Nullable InspectNode node,
                int depth,
                int length,
                boolean map,
                @Nullable InspectType kind,
                @Nullable InspectType valueKind) {
            super(owner, node, depth);
            this.length = length;
            this.map = map;
            this.kind = kind;
            this.valueKind = valueKind;
            this.keys = null;
        }

        /** The values of a map whose keys have been read. */
        ElementsStep(Use owner, @Nullable InspectNode node, int depth, Constants keys, @Nullable InspectType kind) {
            super(owner, node, depth);
            this.length = keys.numbers.length;
            this.map = false;
            this.kind = kind;
            this.valueKind = null;
            this.keys = keys;
        }

        @Override
        void advance() throws IOException {
            while (index < length) {
                if (map && keyIsRead) {
                    keyIsRead = false;
                    InspectNode child = valueNode();
                    index++;
                    element(this, valueKind, child);
                } else {
                    InspectNode child = elementNode(map ? "key " : "");
                    keyIsRead = true;
                    keyIsShown = child != null;
                    if (!map) {
                        index++;
                    }
                    element(this, kind, child);
                }
                if (top != this) {
                    return;
                }
            }
            pop();
        }

        private boolean keyIsShown;

        private @Nullable InspectNode elementNode(String prefix) {
            if (node == null || !node.hasRoom()) {
                if (node != null) {
                    node.omit();
                }
                return null;
            }
            return InspectNode.element(node, prefix + "[" + (keys == null ? index : keys.name(index)) + "]");
        }

        private @Nullable InspectNode valueNode() {
            if (node == null || !keyIsShown) {
                return null;
            }
            String key = node.foldLast();
            return InspectNode.field(node, key == null ? "value [" + index + "]" : "[" + key + "]");
        }
    }

    /** A sorted container or a priority queue: its comparator, then its contents. */
    private final class ComparedStep extends Step {
        private final InspectType type;
        private boolean comparatorIsRead;
        private boolean contentsAreRead;

        ComparedStep(InspectType type, @Nullable InspectNode node) {
            super(type.use, node, 0);
            this.type = type;
        }

        @Override
        void advance() throws IOException {
            if (!comparatorIsRead) {
                comparatorIsRead = true;
                push(new SectionStep(owner, node, null, "comparator"));
            } else if (!contentsAreRead) {
                contentsAreRead = true;
                push(new SectionStep(owner, node, new ContentsStep(type, node), ""));
            } else {
                pop();
            }
        }
    }

    /** The origin of a derived object. */
    private final class OriginStep extends Step {
        private boolean begun;

        OriginStep(Use owner, @Nullable InspectNode node, int depth) {
            super(owner, node, depth);
        }

        @Override
        void advance() throws IOException {
            if (begun) {
                pop();
            } else {
                begun = true;
                reference(this, InspectNode.element(node, "origin"), depth + 1);
            }
        }
    }

    /** The list of a sub list and its bounds, or the collection of an iterator and its position. */
    private final class NumberedStep extends Step {
        private final Derivation way;
        private boolean begun;

        NumberedStep(Use owner, @Nullable InspectNode node, Derivation way) {
            super(owner, node, 0);
            this.way = way;
        }

        @Override
        void advance() throws IOException {
            if (begun) {
                int first = source.readCount();
                String text = way == Derivation.SUB_LIST
                        ? source.readCount() + " elements from " + first + " on"
                        : "behind " + first + " elements";
                if (node != null) {
                    node.value = text;
                }
                pop();
            } else {
                begun = true;
                push(new SectionStep(owner, node, null, "origin"));
            }
        }
    }

    /** A count and as many elements or entries. */
    private final class ContentsStep extends Step {
        private final InspectType type;
        private boolean begun;

        ContentsStep(InspectType type, @Nullable InspectNode node) {
            super(type.use, node, 0);
            this.type = type;
        }

        @Override
        void advance() throws IOException {
            if (begun) {
                pop();
            } else if (type.holdsEntries()) {
                begun = true;
                entries(owner, node, depth);
            } else {
                begun = true;
                elements(owner, node, depth, source.readCount());
            }
        }
    }

    /** The levels of a class with hooks. */
    private final class LevelsStep extends Step {
        private final InspectType type;
        private int level;

        LevelsStep(InspectType type, @Nullable InspectNode node) {
            super(type.use, node, 0);
            this.type = type;
        }

        @Override
        void advance() throws IOException {
            TypeDescription description = type.description;
            if (description == null || level == description.levels().size()) {
                pop();
                return;
            }
            FieldBlock block = type.levels.get(level);
            boolean items = (description.levels().get(level).flags() & Level.HAS_WRITE_OBJECT) != 0;
            level++;
            push(
                    items
                            ? new ItemsStep(owner, node, block)
                            : new SectionStep(owner, node, new FieldsStep(block, owner, node, 0), ""));
        }
    }

    /** Items that methods of a class wrote, or those of an object stream. */
    private final class ItemsStep extends Step {
        private final boolean stream;
        /** Fields of the class whose method wrote the items. */
        private final @Nullable FieldBlock block;

        private int number;

        ItemsStep(Use owner, @Nullable InspectNode node, @Nullable FieldBlock block) {
            super(owner, node, 0);
            this.stream = false;
            this.block = block;
        }

        /** The items of an object stream. */
        ItemsStep(@Nullable InspectNode node) {
            super(tally.outside, node, 0);
            this.stream = true;
            this.block = null;
        }

        @Override
        void advance() throws IOException {
            if (stream && source.atEnd()) {
                pop();
                return;
            }
            int item = source.readByte();
            switch (item) {
                case ImageFormat.ITEM_END -> {
                    if (stream) {
                        throw source.malformed("an object stream has a mark that only objects in it may have");
                    }
                    pop();
                }
                case ImageFormat.ITEM_DATA -> {
                    int length = source.readCount();
                    source.skip(length);
                    InspectNode child = InspectNode.element(node, "data " + number++);
                    if (child != null) {
                        child.value = length + " bytes of primitive data";
                    }
                }
                case ImageFormat.ITEM_OBJECT ->
                    push(new SectionStep(owner, node, null, stream ? "object " + tally.roots++ : "item " + number++));
                case ImageFormat.ITEM_FIELDS -> {
                    if (block == null) {
                        throw source.malformed("fields stand outside an object");
                    }
                    push(new SectionStep(owner, node, new FieldsStep(block, owner, node, 0), ""));
                }
                case ImageFormat.ITEM_RESET -> {
                    if (!stream) {
                        throw source.malformed("item " + item);
                    }
                    tally.resets++;
                    objectCount = 0;
                    InspectNode child = InspectNode.element(node, "reset");
                    if (child != null) {
                        child.value = "objects before it are forgotten";
                    }
                }
                default -> throw source.malformed("item " + item);
            }
        }
    }

    // ---------------------------------------------------------------- references

    private void reference(SectionStep from, String label) throws IOException {
        reference(from, InspectNode.element(from.node, label), 1);
    }

    private void reference(Step from, @Nullable InspectNode node, int depth) throws IOException {
        long start = source.bodyPosition();
        int tag = source.readCount();
        switch (tag) {
            case ImageFormat.TAG_NULL -> setNull(node);
            case ImageFormat.TAG_BACK_REFERENCE -> backReference(node);
            case ImageFormat.TAG_DEFERRED -> deferred(from, types.of(source.readCount()), node, start);
            default -> newObject(from, types.of(tag), node, depth, start);
        }
    }

    private static void setNull(@Nullable InspectNode node) {
        if (node != null) {
            node.value = "null";
        }
    }

    private void backReference(@Nullable InspectNode node) throws IOException {
        int index = source.readCount();
        if (index >= objectCount) {
            throw source.malformed("back reference to object " + index + ", " + objectCount + " are known");
        }
        tally.references++;
        if (node != null) {
            node.value = "-> #" + index;
            node.reference = index;
        }
    }

    private void deferred(Step from, InspectType type, @Nullable InspectNode node, long start) throws IOException {
        if (!type.deferrable) {
            throw source.malformed(
                    "an object of " + type.use.className + " is deferred, which that type does not allow");
        }
        SectionStep current = section;
        if (current == null) {
            throw new IllegalStateException("every reference lies in a section");
        }
        tally.charge(start, type.use);
        type.use.count++;
        tally.deferredBodies++;
        int length = shape(type);
        register(type, node);
        current.defer(type, length, node);
        tally.charge(source.bodyPosition(), from.owner);
    }

    private void newObject(Step from, InspectType type, @Nullable InspectNode node, int depth, long start)
            throws IOException {
        if (depth > ImageFormat.DEPTH_LIMIT + 4) {
            throw source.malformed("objects nest deeper than " + ImageFormat.DEPTH_LIMIT);
        }
        tally.charge(start, type.use);
        type.use.count++;
        int length = shape(type);
        register(type, node);
        body(type, length, node, depth);
        if (top == from) {
            tally.charge(source.bodyPosition(), from.owner);
        }
    }

    private void element(Step from, @Nullable InspectType kind, @Nullable InspectNode node) throws IOException {
        if (kind == null) {
            reference(from, node, from.depth + 1);
        } else if (kind.builtInTag == BuiltInTypes.STRING_TAG) {
            stringElement(from, node);
        } else if (kind.numbered) {
            numberedElement(from, kind, node);
        } else if (!kind.tracked) {
            newObject(from, kind, node, from.depth, source.bodyPosition());
        } else {
            markedElement(from, kind, node);
        }
    }

    private void markedElement(Step from, InspectType kind, @Nullable InspectNode node) throws IOException {
        long start = source.bodyPosition();
        int marker = source.readByte();
        switch (marker) {
            case ImageFormat.ELEMENT_NULL -> setNull(node);
            case ImageFormat.ELEMENT_BACK_REFERENCE -> backReference(node);
            case ImageFormat.ELEMENT_NEW -> newObject(from, kind, node, from.depth + 1, start);
            case ImageFormat.ELEMENT_DEFERRED -> deferred(from, kind, node, start);
            case ImageFormat.ELEMENT_OTHER -> reference(from, node, from.depth + 1);
            default -> throw source.malformed("an element has marker " + marker);
        }
    }

    private void stringSlot(Step from, @Nullable InspectNode node) throws IOException {
        long start = source.bodyPosition();
        long header = source.readNumber();
        if (header == ImageFormat.STRING_OTHER) {
            throw source.malformed("a string slot holds what is no string");
        }
        string(from, node, start, header);
    }

    private void stringElement(Step from, @Nullable InspectNode node) throws IOException {
        long start = source.bodyPosition();
        long header = source.readNumber();
        if (header == ImageFormat.STRING_OTHER) {
            reference(from, node, from.depth + 1);
        } else {
            string(from, node, start, header);
        }
    }

    private void numberedElement(Step from, InspectType kind, @Nullable InspectNode node) throws IOException {
        long start = source.bodyPosition();
        long number = source.readNumber();
        if (number == ImageFormat.NUMBER_OTHER) {
            reference(from, node, from.depth + 1);
            return;
        }
        tally.charge(start, kind.use);
        kind.use.count++;
        register(kind, node);
        setNumber(kind, number - 1, node);
        tally.charge(source.bodyPosition(), from.owner);
    }

    private void setNumber(InspectType type, long number, @Nullable InspectNode node) {
        TypeDescription description = type.description;
        String text;
        if (description == null) {
            long value = ImageFormat.unzigzag(number);
            text = Long.toString(type.builtInTag == INTEGER_TAG ? (int) value : value);
        } else {
            text = constant(type, number);
        }
        if (node != null) {
            node.value = text;
        }
    }

    private String constant(InspectType type, long number) {
        List<String> names = type.description == null ? List.of() : type.description.names();
        if (number < 0 || number >= names.size()) {
            throw source.malformed("constant " + number + " of " + type.use.className + ", which has " + names.size());
        }
        return InspectText.name(names.get((int) number));
    }

    private void string(Step from, @Nullable InspectNode node, long start, long header) throws IOException {
        if (header == ImageFormat.STRING_NULL) {
            setNull(node);
        } else if (header == ImageFormat.STRING_BACK_REFERENCE) {
            backReference(node);
        } else {
            tally.charge(start, strings);
            strings.count++;
            int index = objectCount++;
            String text = quoted(source.readText(header - ImageFormat.STRING_FIRST_HEADER, limitChars(node)));
            if (node != null) {
                node.type = strings.className;
                node.index = index;
                node.value = text;
            }
            tally.charge(source.bodyPosition(), from.owner);
        }
    }

    private static int limitChars(@Nullable InspectNode node) {
        return node == null ? 0 : VALUE_LIMIT_CHARS;
    }

    static String quoted(String text) {
        return '"' + PrintableText.of(text) + '"';
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

    // ---------------------------------------------------------------- objects

    /** Reads what is needed to allocate an object; gives the length of an array. */
    private int shape(InspectType type) throws IOException {
        if (type.isObjectArray()) {
            return source.readCount();
        }
        if (type.builtInTag == BuiltInTypes.ENUM_MAP_TAG) {
            kind();
        }
        if (type.builtInTag == 26) {
            source.readByte();
        }
        return NOT_AN_ARRAY;
    }

    /** Reads an object's contents, or leaves that to a step on the top. */
    private void body(InspectType type, int length, @Nullable InspectNode node, int depth) throws IOException {
        if (length != NOT_AN_ARRAY) {
            elements(type.use, node, depth, length);
            return;
        }
        TypeDescription description = type.description;
        if (description == null) {
            builtInBody(type, node, depth);
            return;
        }
        switch (description.kind()) {
            case FIELDS -> {
                FieldBlock fields = type.fields;
                if (fields != null) {
                    push(new FieldsStep(fields, type.use, node, depth));
                }
            }
            case ENUM -> setNumber(type, source.readNumber(), node);
            case PROXY -> push(new SectionStep(type.use, node, null, "handler"));
            case HOOKS -> push(new SectionStep(type.use, node, new LevelsStep(type, node), ""));
            case EXTERNAL -> push(new SectionStep(type.use, node, new ItemsStep(type.use, node, null), ""));
            case SEQUENCE, MAPPING ->
                push(
                        description.names().isEmpty()
                                ? new SectionStep(type.use, node, new ContentsStep(type, node), "")
                                : new ComparedStep(type, node));
            case DERIVED -> derived(type, node, depth);
            case OBJECT_ARRAY -> throw new IllegalStateException("arrays have a length");
        }
    }

    private void derived(InspectType type, @Nullable InspectNode node, int depth) throws IOException {
        int number = source.readByte();
        Derivation way = Derivation.ofNumber(number);
        if (way == null) {
            throw source.malformed("a " + type.use.className + " is derived by method " + number);
        }
        if (node != null) {
            node.value = way.toString();
        }
        push(way.hasNumbers() ? new NumberedStep(type.use, node, way) : new OriginStep(type.use, node, depth));
    }

    private void elements(Use owner, @Nullable InspectNode node, int depth, int length) throws IOException {
        setCount(node, length, "elements");
        if (length > 0) {
            push(new ElementsStep(owner, node, depth, length, false, kind(), null));
        }
    }

    private void entries(Use owner, @Nullable InspectNode node, int depth) throws IOException {
        int entries = source.readCount();
        setCount(node, entries, "entries");
        if (entries > 0) {
            InspectType keys = kind();
            push(new ElementsStep(owner, node, depth, entries, true, keys, kind()));
        }
    }

    /** Constants of an enum, by their numbers: an image takes a bit for each, and their names may be long. */
    private final class Constants {
        private final InspectType type;
        private final int[] numbers;

        Constants(InspectType type, byte[] bits) {
            this.type = type;
            numbers = BitSet.valueOf(bits).stream().toArray();
            if (numbers.length > 0) {
                // Refuses numbers that are too high.
                name(numbers.length - 1);
            }
        }

        String name(int index) {
            return constant(type, numbers[index]);
        }

        /** The names, as far as a value of the tree has room for them. */
        String text() {
            StringBuilder text = new StringBuilder("[");
            for (int i = 0; i < numbers.length; i++) {
                if (text.length() > VALUE_LIMIT_CHARS) {
                    return text.append(", ")
                            .append(InspectText.ELLIPSIS)
                            .append(']')
                            .toString();
                }
                text.append(i == 0 ? "" : ", ").append(name(i));
            }
            return text.append(']').toString();
        }
    }

    /** Reads which constants of an enum there are. */
    private Constants readConstants(@Nullable InspectType type) throws IOException {
        TypeDescription description = type == null ? null : type.description;
        if (type == null || description == null || description.kind() != TypeDescription.Kind.ENUM) {
            throw source.malformed("an EnumSet or EnumMap is of a class that is no enum");
        }
        return new Constants(type, source.readBytes(description.names().size() + 7 >> 3));
    }

    private static void setCount(@Nullable InspectNode node, int count, String what) {
        if (node != null) {
            node.value = count + " " + what;
        }
    }

    private @Nullable InspectType kind() throws IOException {
        int tag = source.readCount();
        if (tag == ElementsForm.MIXED) {
            return null;
        }
        if (tag < ImageFormat.TAG_FIRST_TYPE) {
            throw source.malformed("elements have kind " + tag);
        }
        return types.of(tag);
    }

    private void builtInBody(InspectType type, @Nullable InspectNode node, int depth) throws IOException {
        switch (type.builtInTag) {
            case ImageFormat.TAG_REPLACED -> push(new SectionStep(type.use, node, null, "replacement"));
            case 24, 28, 29, 46, 47, BuiltInTypes.COPY_ON_WRITE_ARRAY_LIST_TAG, BuiltInTypes.TREE_SET_TAG ->
                elements(type.use, node, depth, source.readCount());
            case 25, 26, 27, BuiltInTypes.CONCURRENT_HASH_MAP_TAG -> entries(type.use, node, depth);
            case BuiltInTypes.ENUM_MAP_TAG -> {
                Constants keys = readConstants(kind());
                setCount(node, keys.numbers.length, "entries");
                if (keys.numbers.length > 0) {
                    push(new ElementsStep(type.use, node, depth, keys, kind()));
                }
            }
            case BuiltInTypes.COMPARED_TREE_MAP_TAG,
                    BuiltInTypes.COMPARED_TREE_SET_TAG,
                    BuiltInTypes.PRIORITY_QUEUE_TAG -> push(new ComparedStep(type, node));
            case BuiltInTypes.IMMUTABLE_LIST_TAG -> {
                source.readByte();
                push(new SectionStep(type.use, node, new ContentsStep(type, node), ""));
            }
            case BuiltInTypes.IMMUTABLE_SET_TAG, BuiltInTypes.IMMUTABLE_MAP_TAG ->
                push(new SectionStep(type.use, node, new ContentsStep(type, node), ""));
            case 30 -> push(new SectionStep(type.use, node, null, "value"));
            case BuiltInTypes.ENUM_SET_TAG -> {
                Constants constants = readConstants(kind());
                if (node != null) {
                    node.value = constants.text();
                }
            }
            default -> {
                String text = values.read(type.builtInTag, limitChars(node));
                if (node != null) {
                    node.value = text;
                }
            }
        }
    }
}
