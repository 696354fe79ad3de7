package org.heapspan.giraph;

/**
 * Where the edges of a vertex are.
 *
 * @param page the page
 * @param offset of their first byte in the page
 */
record EdgePlace(EdgePage page, int offset) {}
