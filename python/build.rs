//! What a Python module needs of the linker where symbols of the interpreter stay open (macOS).

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
