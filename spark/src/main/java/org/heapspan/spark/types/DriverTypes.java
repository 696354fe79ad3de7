package org.heapspan.spark.types;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The types of an application, at its driver, which gives out the numbers (Skyway section 4.1). It lives as long as the application:
 * numbers may only be in what does not outlive it. Thread-safe.
 */
public final class DriverTypes implements TypeRegistry {
    /** More types than programs have, fewer than would fill the memory of a driver whose program makes classes without end. */
    static final int MOST_NUMBERED = 1 << 16;

    private final LocalTypeRegistry types = new LocalTypeRegistry(UUID.randomUUID());
    private final int mostNumbered;

    public DriverTypes() {
        this(MOST_NUMBERED);
    }

    /** For tests. */
    DriverTypes(int mostNumbered) {
        this.mostNumbered = mostNumbered;
    }

    @Override
    public UUID id() {
        return types.id();
    }

    @Override
    public synchronized int numberOf(String loaderScope, byte[] description) {
        return types.size() < mostNumbered
                ? types.numberOf(loaderScope, description)
                : types.knownNumberOf(new Type(loaderScope, description));
    }

    @Override
    public @Nullable Type typeOf(int number) {
        return types.typeOf(number);
    }

    /** How many types have a number. */
    public int size() {
        return types.size();
    }

    /** What an executor is told. */
    public TypesAnswer answer(TypesQuestion question) {
        if (!id().equals(question.registry())) {
            // An executor that was started for another application; its images name the other registry.
            return new TypesAnswer(0, List.of(), true);
        }
        for (TypeText unknown : question.unknown() == null ? List.<TypeText>of() : question.unknown()) {
            numberOf(unknown.loaderScope(), unknown.description());
        }
        int first = Math.max(0, question.knownCount());
        List<TypeText> told = new ArrayList<>();
        for (Type type : types.typesFrom(first)) {
            told.add(TypeText.of(type));
        }
        return new TypesAnswer(first, told, types.size() >= mostNumbered);
    }
}
