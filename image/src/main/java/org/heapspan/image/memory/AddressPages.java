package org.heapspan.image.memory;

import java.util.Arrays;
import org.heapspan.vm.HeapLayout;
import org.heapspan.vm.HotSpotFacts;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of objects by their compressed reference, for graphs of many: an array of numbers that lies beside the heap, one for each
 * place where an object can begin, in pages made when an object is met there. Objects that were allocated together are mostly
 * written together, so that their entries share cache lines, where a hash table would miss the cache for each object.
 *
 * <p>Takes a quarter of the memory of the objects. Not thread-safe; belongs to one {@link IdentityTable}.
 */
final class AddressPages {
    private static final int PAGE_SHIFT = 12;
    private static final int PAGE_PLACES = 1 << PAGE_SHIFT;

    /** Numbers plus one by place; 0 is empty. */
    private int[] @Nullable [] pages = new int[64][];

    /** By how much a reference is shifted to give a place. */
    private final int placeShift;

    AddressPages(HeapLayout layout, HotSpotFacts facts) {
        // No object is smaller than two words, but with compact headers, when one without fields is a word.
        int placeBytesShift = layout.objectHeaderSizeBytes() > 8 ? 4 : 3;
        placeShift = Math.max(0, placeBytesShift - facts.referenceShift());
    }

    /** Forgets all numbers. */
    void clear() {
        Arrays.fill(pages, null);
    }

    /**
     * Puts a number at a reference if there is none.
     *
     * @return the number that is there already, or -1
     */
    int putIfAbsent(int reference, int number) {
        int place = reference >>> placeShift;
        int page = place >>> PAGE_SHIFT;
        int[] numbers = page < pages.length ? pages[page] : null;
        if (numbers == null) {
            numbers = makePage(page);
        }
        int known = numbers[place & PAGE_PLACES - 1] - 1;
        if (known < 0) {
            numbers[place & PAGE_PLACES - 1] = number + 1;
        }
        return known;
    }

    void put(int reference, int number) {
        int place = reference >>> placeShift;
        int page = place >>> PAGE_SHIFT;
        int[] numbers = page < pages.length ? pages[page] : null;
        if (numbers == null) {
            numbers = makePage(page);
        }
        numbers[place & PAGE_PLACES - 1] = number + 1;
    }

    private int[] makePage(int page) {
        if (page >= pages.length) {
            pages = Arrays.copyOf(pages, Math.max(page + 1, pages.length * 2));
        }
        int[] numbers = new int[PAGE_PLACES];
        pages[page] = numbers;
        return numbers;
    }
}
