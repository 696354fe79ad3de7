package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The classes of proxies as values: another JVM has other names for them. */
class ProxyClassTest {
    /** Defines the classes of proxies for itself, under names that no other loader finds. */
    private static final class Elsewhere extends ClassLoader {
        Elsewhere() {
            super(ProxyClassTest.class.getClassLoader());
        }
    }

    private static Class<?> proxyClass(Class<?>... interfaces) {
        return Proxy.newProxyInstance(new Elsewhere(), interfaces, (proxy, method, arguments) -> null)
                .getClass();
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsInterfaces(Encoding encoding) {
        Class<?> written = proxyClass(Supplier.class, Serializable.class);
        Heapspan heapspan = Heapspan.create();
        byte[] image = heapspan.encode(new Object[] {written, written}, encoding);
        Object[] read = heapspan.decodeTrusted(image, Object[].class);
        assertThat(read[0]).isInstanceOf(Class.class).isSameAs(read[1]).isNotSameAs(written);
        Class<?> found = (Class<?>) read[0];
        assertThat(Proxy.isProxyClass(found)).isTrue();
        assertThat(Arrays.asList(found.getInterfaces())).containsExactly(Supplier.class, Serializable.class);
    }

    @ParameterizedTest
    @EnumSource
    void isItselfInACopyAndWhereItsLoaderReads(Encoding encoding) {
        Class<?> written = proxyClass(Supplier.class);
        Heapspan heapspan =
                Heapspan.builder().classLoader(written.getClassLoader()).build();
        assertThat(heapspan.decodeTrusted(heapspan.encode(written, encoding), Class.class))
                .isSameAs(written);
        assertThat(Heapspan.create().copy(new Object[] {written})[0]).isSameAs(written);
    }

    @ParameterizedTest
    @EnumSource
    void isFindableIfItsInterfacesAre(Encoding encoding) {
        Heapspan heapspan = Heapspan.builder().findableOnly(true).build();
        assertThat(heapspan.encode(proxyClass(Supplier.class), encoding)).isNotEmpty();
    }

    @Test
    void interfacesAreAdmittedByTheirNames() {
        byte[] image = Heapspan.create().encode(proxyClass(Supplier.class));
        Heapspan strict = Heapspan.builder()
                .filter(info -> info.serialClass() == Supplier.class
                        ? ObjectInputFilter.Status.REJECTED
                        : ObjectInputFilter.Status.UNDECIDED)
                .build();
        assertThatThrownBy(() -> strict.decode(image, Class.class)).hasMessageContaining("java.util.function.Supplier");
    }
}
