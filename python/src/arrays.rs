//! NumPy arrays in and out.
//!
//! Out: a Rust vector becomes the array's buffer, without a copy. In: one copy into a vector, so
//! that nothing borrows Python's memory while the interpreter is released.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods,
    PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::fault::{Fault, Outcome};

/// A vector as a read-only array that owns it.
pub(crate) fn frozen<T: Element>(py: Python<'_>, data: Vec<T>) -> Py<PyArray1<T>> {
    let array = data.into_pyarray(py);
    array.readwrite().make_nonwriteable();
    array.unbind()
}

/// A vector as an array that the caller may change.
pub(crate) fn owned<T: Element>(py: Python<'_>, data: Vec<T>) -> Py<PyArray1<T>> {
    data.into_pyarray(py).unbind()
}

/// A row-major matrix as a read-only array.
pub(crate) fn frozen2<T: Element>(
    py: Python<'_>,
    data: Vec<T>,
    shape: [usize; 2],
) -> Outcome<Py<PyArray2<T>>> {
    // The flat array first: a view of a writeable one could be made writeable again.
    let flat = data.into_pyarray(py);
    flat.readwrite().make_nonwriteable();
    Ok(flat.reshape(shape)?.unbind())
}

/// A read-only view of an array that stays writeable for us.
pub(crate) fn view<'py, T: Element>(array: &Bound<'py, PyArray1<T>>) -> Outcome<Bound<'py, PyAny>> {
    let view = array.call_method0("view")?;
    view.call_method1("setflags", (false,))?;
    Ok(view)
}

fn copied<'py, T: Element + Copy>(array: &Bound<'py, PyAny>) -> Option<Vec<T>> {
    let array: PyReadonlyArray1<'py, T> = array.extract().ok()?;
    let array = array.as_array();
    Some(array.iter().copied().collect())
}

/// Whole numbers from an array, a sequence or one number; `name` is for the message.
pub(crate) fn integers(name: &str, value: &Bound<'_, PyAny>) -> Outcome<Vec<i32>> {
    if let Some(list) = copied::<i32>(value) {
        return Ok(list);
    }
    let range = |value: i64| {
        i32::try_from(value)
            .map_err(|_| Fault::argument(format!("`{name}`: {value} is no 32-bit number")))
    };
    if let Some(list) = copied::<i64>(value) {
        return list.into_iter().map(range).collect();
    }
    if let Ok(one) = value.extract::<i64>() {
        return Ok(vec![range(one)?]);
    }
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        let kind = array.dtype().kind();
        if array.ndim() > 1 || !matches!(kind, b'i' | b'u') {
            return Err(Fault::argument(format!(
                "`{name}` is an array of {} dimensions and type `{}`; give whole numbers in one dimension",
                array.ndim(),
                array.dtype()
            )));
        }
        let wide = array.call_method1("astype", ("int64",))?;
        return copied::<i64>(&wide).unwrap_or_default().into_iter().map(range).collect();
    }
    match value.extract::<Vec<i64>>() {
        Ok(list) => list.into_iter().map(range).collect(),
        Err(_) => {
            Err(Fault::argument(format!("`{name}` must hold whole numbers in one dimension")))
        }
    }
}

/// [`integers`] that must be as many as the others.
pub(crate) fn as_many(name: &str, value: &Bound<'_, PyAny>, count: usize) -> Outcome<Vec<i32>> {
    let list = integers(name, value)?;
    if list.len() != count {
        return Err(Fault::argument(format!(
            "`{name}` has {} entries where {count} are needed",
            list.len()
        )));
    }
    Ok(list)
}
