package org.heapspan.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.heapspan.image.inspect.InspectedImage.ClassUse;
import org.heapspan.image.inspect.InspectedImage.Node;

/** Shows what is in an image: classes, counts, bytes and the objects as a tree. */
final class Inspect implements Command {
    private static final int CLASSES_SHOWN = 40;

    private final String file;
    private final boolean json;
    private final boolean fields;
    private final int depth;
    private final int width;

    Inspect(Options options) throws Failure {
        json = options.flag("--json");
        fields = options.flag("--fields");
        depth = options.number("--depth", 0, 500, 4);
        width = options.number("--width", 0, 1_000_000, 10);
        file = options.argument("a FILE that holds an image");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        InspectedImage image = inspect();
        if (json) {
            Json.write(out, asMap(image), 0);
            out.println();
        } else {
            print(out, image);
        }
        HeapspanException problem = image.problem();
        if (problem != null && !lacksRegistry(image)) {
            throw Failure.of(file + ": " + problem.getMessage());
        }
    }

    private InspectedImage inspect() throws Failure {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            return new ImageInspector(depth, width).inspect(in);
        } catch (NoSuchFileException e) {
            throw Failure.of("there is no file " + file);
        } catch (IOException | InvalidPathException e) {
            throw Failure.of("reading " + file + " failed: " + Failure.reason(e));
        } catch (HeapspanException e) {
            throw Failure.of(file + ": " + e.getMessage());
        }
    }

    /** The image is sound as far as can be seen, but what its type numbers mean only a program knows. */
    private static boolean lacksRegistry(InspectedImage image) {
        HeapspanException problem = image.problem();
        return image.header().registry() != null
                && problem != null
                && problem.category() == HeapspanException.Category.CLASS_NOT_FOUND;
    }

    // ---------------------------------------------------------------- text

    private void print(PrintWriter out, InspectedImage image) {
        InspectedImage.Header header = image.header();
        InspectedImage.Frames frames = image.frames();
        out.println(PrintableText.of(file) + ": " + Text.bytes(image.sizeBytes()) + ", "
                + (header.raw() ? "raw" : "compact") + " image, format version " + header.version());
        if (header.raw()) {
            printRaw(out, image);
            return;
        }
        if (lacksRegistry(image)) {
            printWithoutTypes(out, image);
            return;
        }
        out.println("  " + scope(header) + ": " + Text.count(image.roots())
                + (image.roots() == 1 ? " root, " : " roots, ")
                + Text.count(image.objects()) + " objects, "
                + Text.count(image.references()) + (image.references() == 1 ? " back reference" : " back references")
                + sharedReferences(image)
                + (image.resets() > 0 ? ", " + Text.count(image.resets()) + " resets" : ""));
        out.println("  " + Text.count(frames.count()) + (frames.count() == 1 ? " frame: " : " frames: ")
                + Text.bytes(frames.typesBytes()) + (header.registry() == null ? " describe " : " number ")
                + Text.count(image.types().size()) + " types, "
                + Text.bytes(frames.bodyBytes()) + " hold objects; "
                + checksums(header, frames)
                + trailing(frames));
        out.println("  " + transientFields(header)
                + (image.deferredBodies() > 0
                        ? "; " + Text.count(image.deferredBodies()) + " deep objects deferred"
                        : ""));
        printClasses(out, image);
        if (fields) {
            printTypes(out, image);
        }
        printTree(out, image);
    }

    private void printTree(PrintWriter out, InspectedImage image) {
        if (depth > 0) {
            out.println();
            for (Node root : image.tree().children()) {
                printNode(out, root, "");
            }
            printOmitted(out, image.tree(), "");
        }
    }

    /** What can be said about an image whose types are numbers of a registry. */
    private static void printWithoutTypes(PrintWriter out, InspectedImage image) {
        InspectedImage.Header header = image.header();
        InspectedImage.Frames frames = image.frames();
        out.println("  " + scope(header));
        out.println("  " + Text.count(frames.count()) + (frames.count() == 1 ? " frame: " : " frames: ")
                + Text.bytes(frames.typesBytes()) + " number types, "
                + Text.bytes(frames.bodyBytes()) + " hold objects; "
                + checksums(header, frames)
                + trailing(frames));
        out.println("  " + transientFields(header));
        out.println();
        out.println("Classes and objects cannot be shown: the image has numbers of the TypeRegistry "
                + header.registry() + " in place of descriptions of its types,");
        out.println("which only programs with that registry know. In such a program, new ImageInspector(depth, width,"
                + " registry) shows all.");
    }

    /** What can be said about copies of a heap. */
    private void printRaw(PrintWriter out, InspectedImage image) {
        InspectedImage.Header header = image.header();
        InspectedImage.Frames frames = image.frames();
        out.println("  heap layout " + header.heapLayout());
        out.println("  " + Text.count(frames.count()) + (frames.count() == 1 ? " frame: " : " frames: ")
                + Text.count(image.objects()) + " copies of objects, "
                + Text.bytes(image.outsideBytes()) + " beside them (bitmap, constants, objects that cannot be copied); "
                + checksums(header, frames)
                + trailing(frames));
        out.println("  " + transientFields(header));
        printClasses(out, image);
        if (fields) {
            printTypes(out, image);
        }
        printTree(out, image);
    }

    private static String transientFields(InspectedImage.Header header) {
        return "transient fields "
                + (header.transientFields() ? "are present (Mode.CLONE)" : "are cleared (Mode.SERIAL)");
    }

    private static String sharedReferences(InspectedImage image) {
        return image.sharedReferences() > 0
                ? ", " + Text.count(image.sharedReferences()) + " references to shared values outside of the image"
                : "";
    }

    private static String trailing(InspectedImage.Frames frames) {
        return frames.trailingBytes() > 0
                ? "; " + Text.count(frames.trailingBytes()) + " bytes after the end frame"
                : "";
    }

    private static String scope(InspectedImage.Header header) {
        return switch (header.scope()) {
            case RECORD -> "records that share no objects";
            case GROUP -> "records that share objects";
            case STREAM -> "object stream";
        };
    }

    private static String checksums(InspectedImage.Header header, InspectedImage.Frames frames) {
        if (!header.checksummed()) {
            return "no checksums";
        }
        return frames.checksumMismatches() == 0
                ? "checksums match"
                : Text.count(frames.checksumMismatches()) + " CHECKSUMS DO NOT MATCH";
    }

    private static void printClasses(PrintWriter out, InspectedImage image) {
        if (image.classes().isEmpty()) {
            return;
        }
        out.println();
        out.println(Text.right("bytes", 14) + Text.right("share", 8) + Text.right("objects", 13) + "  class");
        long whole = image.frames().bodyBytes();
        long restBytes = 0;
        long restCount = 0;
        int shown = 0;
        for (ClassUse use : image.classes()) {
            if (shown++ < CLASSES_SHOWN) {
                printUse(out, use, whole);
            } else {
                restBytes += use.bytes();
                restCount += use.count();
            }
        }
        if (shown > CLASSES_SHOWN) {
            printUse(out, new ClassUse("(" + (shown - CLASSES_SHOWN) + " more classes)", restCount, restBytes), whole);
        }
    }

    private static void printUse(PrintWriter out, ClassUse use, long wholeBytes) {
        out.println(Text.right(Text.count(use.bytes()), 14)
                + Text.right(Text.percent(use.bytes(), wholeBytes), 8)
                + Text.right(Text.count(use.count()), 13) + "  " + use.className());
    }

    private static void printTypes(PrintWriter out, InspectedImage image) {
        for (InspectedImage.Type type : image.types()) {
            out.println();
            out.println(String.format(
                    "type %d  %s  %s  fingerprint %016x", type.tag(), type.kind(), type.name(), type.fingerprint()));
            if (!type.names().isEmpty()) {
                out.println("  " + String.join(", ", type.names()));
            }
            for (InspectedImage.Field field : type.fields()) {
                out.println("  " + field.type() + " " + field.name()
                        + (field.declaringClass().equals(type.name()) ? "" : "  (of " + field.declaringClass() + ")"));
            }
        }
    }

    private static void printNode(PrintWriter out, Node node, String indent) {
        StringBuilder line = new StringBuilder(indent).append(node.label());
        String separator = ": ";
        boolean plain = node.type().isEmpty() || node.type().equals("java.lang.String");
        if (!plain) {
            line.append(separator).append(node.type());
            separator = " ";
            if (node.index() >= 0) {
                line.append(" #").append(node.index());
            }
        }
        if (!node.value().isEmpty()) {
            line.append(separator).append(plain ? "" : "= ").append(node.value());
        }
        out.println(line);
        for (Node child : node.children()) {
            printNode(out, child, indent + "  ");
        }
        printOmitted(out, node, indent + "  ");
    }

    private static void printOmitted(PrintWriter out, Node node, String indent) {
        if (node.omitted() > 0) {
            out.println(indent + "... " + Text.count(node.omitted())
                    + (node.children().isEmpty() ? "" : " more"));
        }
    }

    // ---------------------------------------------------------------- JSON

    private Map<String, Object> asMap(InspectedImage image) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("file", file);
        map.put("bytes", image.sizeBytes());
        map.put("version", image.header().version());
        map.put("encoding", image.header().raw() ? "raw" : "compact");
        map.put("heapLayout", image.header().raw() ? image.header().heapLayout() : null);
        map.put("checksummed", image.header().checksummed());
        map.put("scope", image.header().scope().name());
        map.put("transientFields", image.header().transientFields());
        UUID registry = image.header().registry();
        map.put("registry", registry == null ? null : registry.toString());
        map.put("frames", image.frames().count());
        map.put("checksumMismatches", image.frames().checksumMismatches());
        map.put("typesBytes", image.frames().typesBytes());
        map.put("bodyBytes", image.frames().bodyBytes());
        map.put("endFrame", image.frames().endFrame());
        map.put("trailingBytes", image.frames().trailingBytes());
        map.put("roots", image.roots());
        map.put("resets", image.resets());
        map.put("objects", image.objects());
        map.put("references", image.references());
        map.put("sharedReferences", image.sharedReferences());
        map.put("deferredBodies", image.deferredBodies());
        map.put("classes", image.classes().stream().map(Inspect::asMap).toList());
        map.put("types", image.types().stream().map(Inspect::asMap).toList());
        map.put("tree", asMap(image.tree()).getOrDefault("children", List.of()));
        HeapspanException problem = image.problem();
        map.put("problem", problem == null ? null : problem.getMessage());
        return map;
    }

    private static Map<String, Object> asMap(ClassUse use) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("class", use.className());
        map.put("objects", use.count());
        map.put("bytes", use.bytes());
        return map;
    }

    private static Map<String, Object> asMap(InspectedImage.Type type) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("tag", type.tag());
        map.put("kind", type.kind());
        if (!type.loaderScope().isEmpty()) {
            map.put("loaderScope", type.loaderScope());
        }
        map.put("name", type.name());
        map.put("fingerprint", String.format("%016x", type.fingerprint()));
        map.put("bytes", type.sizeBytes());
        map.put("names", type.names());
        List<Object> list = new ArrayList<>();
        for (InspectedImage.Field field : type.fields()) {
            list.add(field.declaringClass() + "." + field.name() + ": " + field.type());
        }
        map.put("fields", list);
        return map;
    }

    private static Map<String, Object> asMap(Node node) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("label", node.label());
        if (!node.type().isEmpty()) {
            map.put("type", node.type());
        }
        if (node.index() >= 0) {
            map.put("index", node.index());
        }
        if (node.reference() >= 0) {
            map.put("reference", node.reference());
        } else if (!node.value().isEmpty()) {
            map.put("value", node.value());
        }
        if (!node.children().isEmpty()) {
            map.put("children", node.children().stream().map(Inspect::asMap).toList());
        }
        if (node.omitted() > 0) {
            map.put("omitted", node.omitted());
        }
        return map;
    }
}
