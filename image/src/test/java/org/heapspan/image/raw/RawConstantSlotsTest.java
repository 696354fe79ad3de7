package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Constants whose classes have changed since the image was written: both engines refuse what does not fit. */
@DisabledIfSystemProperty(named = "heapspan.access", matches = "unsafe|reflection")
final class RawConstantSlotsTest {
    private static final String PLANT = "package generated.constants; public interface Plant {}";
    private static final String STONE = "package generated.constants; public interface Stone {}";
    private static final String KIND = "package generated.constants; public enum Kind implements Plant { A, B {} }";
    private static final String LESS_KIND = "package generated.constants; public enum Kind { A, B {} }";
    private static final String HOLDER =
            "package generated.constants; public class Holder implements java.io.Serializable {"
                    + " public String text = \"text\"; public Plant plant; public Plant[] plants; public Object any; public Stone stone; }";

    @TempDir
    Path folder;

    private final List<URLClassLoader> loaders = new ArrayList<>();
    private ClassLoader writers;
    private ClassLoader likeWriters;
    private ClassLoader later;

    @BeforeEach
    void compile() throws IOException {
        writers = compiled("before", KIND);
        URLClassLoader again =
                new URLClassLoader(loaders.get(0).getURLs(), getClass().getClassLoader());
        loaders.add(again);
        likeWriters = again;
        later = compiled("after", LESS_KIND);
    }

    @AfterEach
    void close() throws IOException {
        for (URLClassLoader each : loaders) {
            each.close();
        }
    }

    private ClassLoader compiled(String version, String kind) throws IOException {
        Path sources = Files.createDirectories(folder.resolve(version));
        List<String> arguments = new ArrayList<>(List.of("-d", sources.toString()));
        Map<String, String> files = Map.of("Plant", PLANT, "Stone", STONE, "Kind", kind, "Holder", HOLDER);
        for (Map.Entry<String, String> each : files.entrySet()) {
            Path file = sources.resolve(each.getKey() + ".java");
            Files.writeString(file, each.getValue());
            arguments.add(file.toString());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "needs a JDK: a run-time image has no compiler");
        int result = compiler.run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
        URLClassLoader loader = new URLClassLoader(
                new URL[] {sources.toUri().toURL()}, getClass().getClassLoader());
        loaders.add(loader);
        return loader;
    }

    private Object constant(ClassLoader loader, int index) throws ReflectiveOperationException {
        return loader.loadClass("generated.constants.Kind").getEnumConstants()[index];
    }

    private Object holder() throws ReflectiveOperationException {
        return writers.loadClass("generated.constants.Holder").getConstructor().newInstance();
    }

    private static void set(Object holder, String field, Object value) throws ReflectiveOperationException {
        holder.getClass().getField(field).set(holder, value);
    }

    private static Object get(Object holder, String field) throws ReflectiveOperationException {
        return holder.getClass().getField(field).get(holder);
    }

    private static Object decode(Object graph, ClassLoader loader) {
        byte[] image = Heapspan.create().encode(graph, Encoding.RAW);
        return Heapspan.builder().classLoader(loader).build().decodeTrusted(image, Object.class);
    }

    private Object[] plants(int index) throws ReflectiveOperationException {
        Object[] plants =
                (Object[]) java.lang.reflect.Array.newInstance(writers.loadClass("generated.constants.Plant"), 3);
        plants[2] = constant(writers, index);
        return plants;
    }

    @Test
    void doubtsWhatAnEnumMayOnceHaveBeen() {
        assertThat(RawConstantSlots.isDoubtful(Collection.class, Category.class))
                .isTrue();
        assertThat(RawConstantSlots.isDoubtful(Runnable.class, Category.class)).isTrue();
        assertThat(RawConstantSlots.isDoubtful(List.class, Category.class)).isFalse();
        assertThat(RawConstantSlots.isDoubtful(Map.class, Category.class)).isFalse();
        assertThat(RawConstantSlots.isDoubtful(Comparable.class, Category.class))
                .isFalse();
    }

    @Test
    void refusesAConstantThatAFieldCannotHold() throws Exception {
        for (int index = 0; index < 2; index++) {
            Object holder = holder();
            set(holder, "plant", constant(writers, index));
            assertThatThrownBy(() -> decode(holder, later))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.EVOLUTION))
                    .hasMessageContaining("plant")
                    .hasMessageContaining("generated.constants.Kind");
        }
    }

    @Test
    void refusesAConstantThatAnArrayCannotHold() throws Exception {
        Object holder = holder();
        set(holder, "plants", plants(1));
        assertThatThrownBy(() -> decode(new Object[] {"first", holder}, later))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("generated.constants.Plant");
    }

    @Test
    void carvesConstantsThatFit() throws Exception {
        Object holder = holder();
        set(holder, "plant", constant(writers, 0));
        set(holder, "plants", plants(1));
        set(holder, "any", constant(writers, 1));
        var carver = Access.MACHINE.carver();
        long windows = carver == null ? 0 : carver.statistics().windows();
        Object[] copy = (Object[]) decode(new Object[] {holder, holder, constant(writers, 0)}, likeWriters);
        if (carver != null && carver.switchedOff() == null) {
            assertThat(carver.statistics().windows()).isGreaterThan(windows);
        }
        assertThat(get(copy[0], "plant")).isSameAs(constant(likeWriters, 0));
        assertThat(((Object[]) get(copy[0], "plants"))[2]).isSameAs(constant(likeWriters, 1));
        assertThat(get(copy[0], "any")).isSameAs(constant(likeWriters, 1));
        assertThat(copy[2]).isSameAs(constant(likeWriters, 0));
    }

    @Test
    void takesConstantsOfAChangedClassWhereTheyFit() throws Exception {
        Object holder = holder();
        set(holder, "any", constant(writers, 1));
        Object copy = decode(holder, later);
        assertThat(get(copy, "any")).isSameAs(constant(later, 1));
    }
}
